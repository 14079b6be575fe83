"""The casino in the browser: pages, JSON, and the live line to each table.

app        the Flask application, put together
pages      HTML
api        JSON over HTTP, described by openapi
live       Socket.IO: payload to command to acknowledgement, events to rooms
board      what a table has told, by version
wire       the WebSocket layer: small when it waits
outlet     what a peer has not read yet, until it is too much
frames     WebSocket frames, made and read
rounds     what all are told, to each in one write when it is his turn
pulse      asks each line for a sign of life
bridge     between the threads of the house and the loop that serves browsers
people     who may speak for which account
files      what lies under static/, compressed once, cached by browsers

gc_schedule says when garbage is collected.
"""
