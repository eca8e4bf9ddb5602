"""Jobs and their workers. The database is the truth; the message queue is only a doorbell.

`queue` writes a job and rings the bell. `claims` takes a job by a conditional update and returns a
lease, which its owner renews (`leases`). `loop` runs the job, retries it, and fails it in the end.
`sweeper` handles the jobs of killed processes, `ended_processes` sooner those of a worker's child
on the same machine, which the name of its owner tells (`owners`). `attempts` records each try that
has ended.
"""
