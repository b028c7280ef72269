// What is mutated: the folders in which a wrong sign costs money, or the trust of whoever waits to be told.

export const mutatedPaths = ['src/base/lane.ts', 'src/ledger/', 'src/payments/', 'src/deposits/', 'src/sending/']

/** Tests that start programs of their own: those see the files as they are, never a mutant. */
const programs = ['cli', 'deploy', 'embedded', 'faults', 'ha', 'install', 'migrations', 'mutants', 'processes']

/** Tests that drive a browser take half a minute each, and say little about one line of ours. */
const browsers = ['dashboard']

/** Folders of tests that are shown none. */
export const unshown = [...programs, ...browsers].map((folder) => `tests/${folder}/`)

/**
 * A folder's own tests are those of the same name. What they let pass is shown to so many others that reach the place,
 * those that reach least first: a test of one endpoint says more about one line than a test of everything.
 */
export const otherTestsMax = 4

/**
 * What all tests together may cost, without the mutant, that one mutant is shown to, in seconds of their process: the
 * dearest are left out.
 */
export const shownCpuSecondsMax = 10
