"""Jobs and their workers. The database is the truth; a message only says that there is work.

`queue` writes a job and notifies a worker. `claims` takes a job by a conditional update and returns
a lease, which its owner renews (`leases`). `loop` runs the jobs of a queue in their order, retries
them, and fails them in the end. `sweeper` handles the jobs of killed processes.
"""
