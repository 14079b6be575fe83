"""The casino in the browser: pages, JSON, and a socket to each table.

app         the Flask application, put together
routes      pages and JSON over HTTP; schemas: their requests and answers, openapi
sockets     Socket.IO: messages to commands, events to rooms
websocket   the transport: small when idle, one write for many messages
server      the HTTP server: limits, fair queue, proxies, rate limits
backend     what the web asks of the casino; ipc: the same over Redis
accounts    names, passwords, sessions, refills
services    odds, practice games, share images, the background audit
"""
