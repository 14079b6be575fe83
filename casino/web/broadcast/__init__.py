"""The path of an event from its commit to every screen, one class each.

`EventPublisher` takes committed events from the writer's thread; `EventBatcher` (in
`casino.table.public.feed`) groups them; `LocalBackend` passes them to its subscribers, in a worker
by way of Redis; `TableFeed` numbers and stores them; `Broadcaster` encodes them once and queues
them at each connection; `FlushQueue` writes all that a connection has queued at once; `SendBuffer`
keeps what the socket does not take.
"""
