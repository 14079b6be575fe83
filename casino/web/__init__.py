"""The casino in the browser: pages, JSON, and the live line to each table.

app        the Flask application, put together
pages      HTML
api        JSON over HTTP, described by openapi
live       Socket.IO: payload to command to acknowledgement, events to rooms
board      what a table has told, by version
wire       the WebSocket layer: frames made once, sent at once; limits, who does not read
bridge     the threads of the house and the loop of the browsers
janitor    when garbage is collected
people     who may speak for which account
"""
