// Rails promise not to throw; if one does, nobody knows what happened, and that is an answer too.

export async function guarded<T>(call: () => Promise<T>): Promise<T | { kind: 'unknown'; detail: string }> {
  try {
    return await call()
  } catch (error) {
    return { kind: 'unknown', detail: error instanceof Error ? error.message : String(error) }
  }
}
