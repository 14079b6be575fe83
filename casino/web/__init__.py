"""The casino in the browser: HTML pages, a JSON API, and live tables over Socket.IO.

app         assembles the Flask application
routes      pages and the JSON API; schemas: models of requests and responses, OpenAPI
sockets     Socket.IO: client messages become commands, events become broadcasts
websocket   the transport: little memory per idle connection, one write for many messages
server      the HTTP server: limits, fair queue, proxies, rate limits
backend     queries and commands to the casino; ipc: the same over Redis
accounts    names, passwords, sessions, refills
services    odds, practice games, the background audit
"""
