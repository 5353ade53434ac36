import { fileURLToPath } from 'node:url'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

const backend = process.env.ARRAYWRIGHT_BACKEND ?? 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [
    tanstackRouter({ target: 'react', autoCodeSplitting: true, quoteStyle: 'single' }),
    react(),
  ],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  // The backend replaces this placeholder by a fresh nonce each time it serves the page.
  html: { cspNonce: '__CSP_NONCE__' },
  server: { proxy: { '/api': { target: backend, changeOrigin: false } } },
  build: {
    target: 'es2023',
    // Newer than these know light-dark(); the minifier's rewrite of it for older ones loses colours
    // when the scheme is set through an attribute.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    manifest: true,
    assetsInlineLimit: 0,
  },
  test: {
    restoreMocks: true,
    css: false,
    // One world for all files of a worker: their modules are loaded once, and src/test/setup.ts
    // cleans up after each test.
    pool: 'threads',
    isolate: false,
    projects: [
      {
        extends: true,
        test: { name: 'logic', environment: 'node', include: ['src/**/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'pages',
          environment: 'jsdom',
          environmentOptions: { jsdom: { url: 'http://localhost/' } },
          include: ['src/**/*.test.tsx'],
          setupFiles: ['src/test/setup.ts'],
        },
      },
    ],
  },
})
