/**
 * Ends a process of test files when the run's own process is gone. A test would otherwise wait for its timeout, on a
 * database that no longer exists. The function has its own file, so that all files share one.
 */
export function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL')
}
