// Many documents at once: a folder, a lost connection, and acts on some of them.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openBrowser, openPage, signIn } from './browser.js'
import { settled } from './pages.js'
import { Server } from './server.js'

const many = Number(process.env.KG_DROP ?? 120) // files of the folder
let server, browser, page, folder

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kg-folder-'))
  mkdirSync(join(folder, 'notes', 'deep'), { recursive: true })
  for (let i = 0; i < many; i++) writeFileSync(join(folder, 'notes', i % 2 ? 'deep' : '', `note ${i}.md`), `# Note ${i}\n\nThe valve ${i} is a part of the pump ${i % 7}. The pump ${i % 7} moves water.\n`)
  writeFileSync(join(folder, 'notes', '.hidden.md'), 'A secret is not for others.')
  ;[server, browser] = await Promise.all([Server.start(), openBrowser()])
  page = await openPage(browser)
  await signIn(page, server.url)
})
after(async () => {
  await browser?.close()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const item = (name) => page.getByRole('listitem').filter({ hasText: name })

test('a folder is sent in spite of a lost connection, and everything in it once', async () => {
  await page.goto(server.url + '/console/ingest')
  await settled(page)
  await page.getByLabel('Ontology').fill('notes')
  let sent = 0
  // Of some of the first requests the answer is lost, and of some the request.
  await page.route('**/api/ingest', async (route) => {
    const n = ++sent
    if (n > 120) return route.continue()
    if (n % 10 === 3) await route.fetch().catch(() => {})
    if (n % 10 === 3 || n % 10 === 7) return route.abort()
    return route.continue()
  })
  await page.getByLabel('Choose a folder').setInputFiles(join(folder, 'notes'))
  await item('note 0.md').first().waitFor()
  await page.getByText(/^\d+ to send$/).waitFor({ state: 'detached', timeout: 120_000 })
  await page.unroute('**/api/ingest')
  assert.ok(sent > many)
  const jobs = []
  for (let cursor = 0; ; cursor += 500) {
    const part = await server.call('GET', `/jobs?ontology=notes&limit=500&offset=${cursor}`)
    jobs.push(...part)
    if (part.length < 500) break
  }
  assert.equal(jobs.length, many)
  assert.equal(new Set(jobs.map((j) => j.filename)).size, many)
  assert.ok(await page.getByText('deep/note 1.md').count())
})

test('some are approved by selection, one is cancelled, and one is taken out again', async () => {
  for (const name of ['note 0.md', 'note 2.md']) await page.getByLabel(`Select notes/${name}`, { exact: true }).check()
  await page.getByRole('button', { name: 'Approve 2 selected documents' }).click()
  await page.getByText('2 jobs approved').waitFor()
  await item('notes/note 2.md').getByText('completed').waitFor()
  await page.getByLabel('Select notes/note 4.md', { exact: true }).check()
  await page.getByRole('button', { name: 'Cancel 1 selected document' }).click()
  await item('notes/note 4.md').getByText('cancelled').waitFor()
  await item('notes/note 2.md').getByRole('button', { name: 'Take it out…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Take it out' }).click()
  await page.getByText('note 2.md is out of notes').waitFor()
  await page.getByRole('heading', { name: 'Ingest' }).waitFor()
})

test('files that are dropped are sent', async () => {
  await page.evaluate(() => {
    const data = new DataTransfer()
    data.items.add(new File(['A cog is a tooth of a wheel.'], 'dropped.md', { type: 'text/markdown' }))
    document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
  })
  await item('dropped.md').scrollIntoViewIfNeeded()
  await item('dropped.md').getByText('awaiting approval').waitFor()
  await page.getByRole('button', { name: 'Approve all' }).click()
  await item('dropped.md').getByText('completed').waitFor({ timeout: 120_000 })
})

test('nothing went wrong in the page', () => assert.deepEqual(page.problems, []))
