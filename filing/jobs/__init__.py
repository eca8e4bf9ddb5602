"""Jobs: who works on what. The truth is in the database; the message queue is only a doorbell.

`queue` writes a job and rings. `claims` takes one by a conditional update and gives a lease, which
its owner renews (`leases`). `loop` works on it: retries, and gives up in the end. `sweeper` takes
care of what killed processes left behind. Each try that has ended is an attempt (`attempts`).
"""
