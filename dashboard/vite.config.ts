// How scripts/dashboard.js builds the dashboard, and how `npm run dev` serves it during development.
// Settings that change what comes out are part of the fingerprint, because this file is one of the sources.

import { defineConfig } from 'vite'

/** A running service, for `npm run dev`. */
const service = 'http://localhost:4000'

export default defineConfig({
  base: '/dashboard/',
  build: {
    target: 'es2024',
    assetsInlineLimit: 0, // The policy allows no data: scripts or fonts, and one more small request costs nothing.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // "use client" is for servers that render; there is none here.
      onLog: (level, log, write) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : write(level, log)),
    },
  },
  server: {
    port: 4001,
    proxy: { '/dashboard/api': { target: service, headers: { Origin: service } } },
  },
})
