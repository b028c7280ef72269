// Runs in each process of test files, before the file. When the run's own process is gone, so is the reason to go on:
// left alone, a test would wait until its time is over, on a database that is no more.

process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
