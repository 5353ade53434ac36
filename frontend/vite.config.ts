import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip as gzipCallback } from 'node:zlib'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { type Graph, reachedFrom } from './scripts/parts'

const brotli = promisify(brotliCompress)
const gzip = promisify(gzipCallback)
const backend = process.env.ARRAYWRIGHT_BACKEND ?? 'http://127.0.0.1:8080'

/**
 * Packs what the build has made, once and as small as it gets: the backend serves these files as
 * they are. The page itself changes with each request and is packed then.
 */
function pack(): Plugin {
  return {
    name: 'pack',
    apply: 'build',
    async writeBundle({ dir = 'dist' }, bundle) {
      const names = Object.keys(bundle).filter((name) => /\.(js|css|svg)$/.test(name))
      await Promise.all(
        names.map(async (name) => {
          const path = resolve(dir, name)
          const content = await readFile(path)
          if (content.length <= 512) return
          const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
          await writeFile(`${path}.br`, await brotli(content, { params: quality }))
          await writeFile(`${path}.gz`, await gzip(content, { level: 9 }))
        }),
      )
    },
  }
}

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url))
const START = ['_app.tsx', '_app/index.tsx', 'login.tsx'].map(
  (route) => `${source(`routes/${route}`)}?tsr-split=component`,
)
let parts: { first: Set<string>; start: Set<string> } | undefined

/**
 * Modules that pages share are in four files instead of a hundred small ones, each of which costs a
 * request: what every page needs, what the first pages need, and for the others what shows data and
 * what knows storage.
 */
function partOf(id: string, graph: Graph): string {
  parts ??= {
    first: reachedFrom(graph, [source('main.tsx')]),
    start: reachedFrom(graph, START),
  }
  if (parts.first.has(id)) return 'first'
  if (parts.start.has(id)) return 'start'
  return /\/src\/(api|entities|features|pages)\//.test(id) ? 'storage' : 'widgets'
}

export default defineConfig({
  // The backend may be shown under a sub-path: it puts that into the page, see lib/root-path.ts.
  base: './',
  plugins: [
    tanstackRouter({ target: 'react', autoCodeSplitting: true, quoteStyle: 'single' }),
    react(),
    pack(),
  ],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  // The backend replaces this placeholder by a fresh nonce each time it serves the page.
  html: { cspNonce: '__CSP_NONCE__' },
  server: { proxy: { '/api': { target: backend, changeOrigin: false } } },
  build: {
    target: 'es2023',
    // Newer than these know light-dark(); the minifier's rewrite of it for older ones loses colors
    // when the scheme is set through an attribute.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    manifest: true,
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: partOf, minShareCount: 2 }],
        },
      },
    },
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
