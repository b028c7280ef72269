// The version of the dashboard that the server has, and that of the open page. The name of the main script contains a
// hash of the whole dashboard.

const mainScript = /<script type="module"[^>]* src="([^"]+)"/

/** Null: the server did not answer with a page. */
export async function readServersVersion(signal: AbortSignal): Promise<string | null> {
  const response = await fetch('/dashboard/', { cache: 'no-cache', signal })
  return (response.ok ? mainScript.exec(await response.text())?.[1] : undefined) ?? null
}

export function versionOfPage(): string | null {
  return document.querySelector('script[type=module][src]')?.getAttribute('src') ?? null
}
