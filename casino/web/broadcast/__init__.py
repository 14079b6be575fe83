"""The path of an event from its commit to every screen, with one class for each step.

`EventPublisher` takes committed events from the writer's thread; `EventBatcher` (in
`casino.table.public.feed`) groups them into batches; `LocalBackend` passes the batches to its
subscribers, and over Redis to workers; `TableFeed` turns them into numbered messages and stores
these; `Broadcaster` encodes each message once and queues it at every connection; `FlushQueue` sends
each connection its queued messages in one write; `SendBuffer` keeps what the socket does not
accept.
"""
