// Writes a picture of every page, light and dark, at three widths, into the folder that is given.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser, openPage, signIn } from './browser.js'
import { fill, settled } from './pages.js'
import { Server } from './server.js'

const folder = process.argv[2] ?? 'shots'
mkdirSync(folder, { recursive: true })
const server = await Server.start()
const browser = await openBrowser()
try {
  const pages = await fill(server)
  const page = await openPage(browser)
  await page.goto(server.url + '/console/')
  await page.getByLabel('Name').waitFor()
  await page.screenshot({ path: join(folder, 'sign-in.png') })
  await signIn(page, server.url)
  for (const [name, path] of Object.entries(pages))
    for (const [look, width] of [['light', 1280], ['dark', 1280], ['light', 320], ['dark', 2560]]) {
      await page.emulateMedia({ colorScheme: look })
      await page.setViewportSize({ width, height: 900 })
      await page.goto(server.url + '/console' + path)
      await settled(page)
      await page.screenshot({ path: join(folder, `${name}-${look}-${width}.png`) })
    }
  console.log(`screenshots of ${Object.keys(pages).length + 1} pages are in ${folder}`)
} finally {
  await browser.close()
  await server.stop()
}
