import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// The built files go where the server embeds them; tools/clean.js keeps the committed one.
export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: { outDir: '../internal/http/console/dist', emptyOutDir: false, assetsInlineLimit: 0, target: 'es2022', modulePreload: { polyfill: false } },
})
