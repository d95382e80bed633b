// Drives Debian's Chromium.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { password } from './server.js'

const executablePath = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

export async function openBrowser() {
  if (!executablePath) throw new Error('there is no Chromium: install it (Debian: apt-get install chromium), or set CHROMIUM to its path')
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

/** openPage opens a page in a profile of its own; what goes wrong in it is collected in page.problems. */
export async function openPage(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  page.problems = []
  page.on('pageerror', (err) => page.problems.push(String(err)))
  page.on('console', (m) => {
    if (/Content.Security.Policy|React|Warning/i.test(m.text()) && m.type() === 'error') page.problems.push(m.text())
  })
  return page
}

export async function signIn(page, url, username = 'admin', secret = password) {
  await page.goto(url + '/console/')
  await page.getByLabel('Name').fill(username)
  await page.getByLabel('Password').fill(secret)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
}
