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
      // Rolldown makes a file of each set of modules that the same pages share: five files before any page, and sixteen for the
      // menus of the frame, some of a hundred bytes. Every page of a business needs them, so each group is one file.
      output: {
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'], priority: 2 },
            { name: 'menu', test: /[\\/]src[\\/]ui[\\/]menu\.tsx$/, priority: 1 },
          ],
        },
      },
      // "use client" is for servers that render; there is none here.
      onLog: (level, log, write) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : write(level, log)),
    },
  },
  server: {
    port: 4001,
    proxy: { '/dashboard/api': { target: service, headers: { Origin: service } } },
  },
})
