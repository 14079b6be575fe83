"""The casino's web server: HTML pages, a JSON API, and live tables over Socket.IO.

app         assembles the Flask application
routes      HTML pages and the JSON API; `schemas` holds the models of requests and responses
sockets     Socket.IO handlers, which turn client messages into commands
broadcast   the path of an event from its commit to every client
websocket   the transport: little memory per idle connection, one write for many messages
server      the HTTP server: connection limits, fair queue, proxies, rate limits
backend     the interface to the casino: queries and commands; `ipc` carries it over Redis
accounts    names, passwords, sessions, refills
services    odds and practice games
"""
