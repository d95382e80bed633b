// The console in a real browser, against a real server on a PostgreSQL of its own.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import axe from 'axe-core'
import { openBrowser, openPage, signIn } from './browser.js'
import { failedJob, fill, settled } from './pages.js'
import { rivers } from './sample.js'
import { password, Server } from './server.js'

let server, browser, page, pages

before(async () => {
  ;[server, browser] = await Promise.all([Server.start(), openBrowser()])
  page = await openPage(browser)
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

const visit = async (path) => {
  await page.goto(server.url + '/console' + path)
  await settled(page)
}
const row = (id) => page.locator(`tr[data-job="${id}"]`)

test('/ sends a browser to the console, which asks who one is', async () => {
  await page.goto(server.url + '/')
  assert.equal(new URL(page.url()).pathname, '/console/')
  await page.getByLabel('Name').fill('admin')
  await page.getByLabel('Password').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('Invalid username or password').waitFor()
  await signIn(page, server.url)
  const [cookie] = await page.context().cookies()
  assert.deepEqual([cookie.name, cookie.httpOnly, cookie.sameSite, cookie.path], ['kappa_session_' + server.port, true, 'Strict', '/'])
  assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0)
  await page.getByText('The graph has no documents yet.').waitFor()
})

test('a file is priced, approved, read, asked about, and a quote leads into it', async () => {
  await visit('/ingest')
  await page.getByLabel('Ontology').fill('streams')
  // The first read of the job is older than what the stream says before its answer is here.
  await page.route(/\/api\/jobs\/job_\w+$/, async (route) => {
    const response = await route.fetch()
    await pause(1500)
    await route.fulfill({ response }).catch(() => {}) // it is asked again meanwhile
  }, { times: 1 })
  const name = '<img src=x onerror=alert(1)>.md'
  await page.getByLabel('Choose files').setInputFiles({ name, mimeType: 'text/markdown', buffer: Buffer.from(rivers) })
  const item = page.getByRole('listitem').filter({ hasText: name })
  await item.getByText('free').first().waitFor()
  await item.getByText('awaiting approval').waitFor()
  await item.getByRole('button', { name: 'Approve' }).click()
  await item.getByText('completed').waitFor()
  await visit('/')
  await page.getByRole('searchbox').fill('What is a dam?')
  await page.keyboard.press('Enter')
  const passage = page.getByRole('article').first()
  await passage.getByText('dam').first().waitFor()
  assert.ok((await passage.locator('mark').allInnerTexts()).some((w) => w.toLowerCase() === 'dam'))
  await passage.getByRole('link').click()
  const target = page.locator('mark.target').first()
  await target.waitFor()
  const bytes = new URL(page.url()).searchParams.get('bytes').split('-').map(Number)
  const said = (await page.locator('mark.target').allInnerTexts()).join('')
  assert.equal(said.replace(/\s+/g, ' ').trim(), Buffer.from(rivers).subarray(...bytes).toString().replace(/\s+/g, ' ').trim())
  await target.click()
  await page.waitForURL(/concept=/)
  await page.locator('mark.chosen').first().waitFor()
})

test('a failed job says so, and is retried', async () => {
  const failed = await failedJob(server)
  await visit('/')
  await page.locator(`a[href$="${failed.job_id}"]`).click()
  await page.getByText('Mend the cause, then retry').waitFor()
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('retry of ' + failed.job_id).waitFor()
  await page.getByText('completed').first().waitFor()
})

test('many jobs are cancelled by a filter, after their number was shown', async () => {
  const n = 70
  await Promise.all(Array.from({ length: n }, () => server.call('POST', '/jobs', { job_type: 'noop', data: {} })))
  await visit('/jobs?status=awaiting_approval&job_type=noop')
  await page.getByLabel('Select all that are shown').check()
  await page.getByRole('button', { name: /Select all that match/ }).click()
  await page.getByRole('button', { name: 'Cancel…' }).click()
  await page.getByRole('heading', { name: `Cancel ${n} jobs?` }).waitFor()
  await page.getByRole('button', { name: `Cancel ${n} jobs` }).click()
  await page.getByText(`${n} jobs done, 0 refused`).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByText('No job matches these filters.').waitFor()
})

test('a row changes in place, and the page recovers when the server is killed and comes back', async () => {
  await visit('/jobs')
  await page.getByText('live', { exact: true }).waitFor()
  const { job_id } = await server.call('POST', '/jobs', { job_type: 'sleep', data: { ms: 6000, steps: 60 } })
  await row(job_id).getByText('awaiting approval').waitFor()
  await server.call('POST', `/jobs/${job_id}/approve`)
  await row(job_id).getByText('running').waitFor()
  await server.kill()
  await page.getByText('The connection to the server is lost.').waitFor()
  await server.run()
  await page.getByText('The connection to the server is lost.').waitFor({ state: 'detached' })
  await row(job_id).getByText('completed').waitFor({ timeout: 60_000 })
  assert.equal(await row(job_id).count(), 1)
})

test('a session that ends under a form is renewed in place, and nothing typed is lost', async () => {
  await visit('/ingest')
  await page.getByLabel('Ontology').fill('typed')
  await page.context().clearCookies()
  await page.getByText('Paste text').click()
  await page.getByLabel('Text').fill('A fjord is a long inlet.')
  await page.getByRole('button', { name: 'Submit the text' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.getByLabel('Password').fill(password)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await page.getByLabel('Ontology').inputValue(), 'typed')
})

test('what a role may not do is not shown', async () => {
  await server.call('POST', '/users', { username: 'reader', password, role: 'read_only' })
  const other = await openPage(browser)
  await signIn(other, server.url, 'reader')
  await settled(other)
  assert.equal(await other.getByRole('link', { name: 'Ingest' }).count(), 0)
  await other.goto(server.url + '/console/ingest')
  await other.getByText('There is no page at this address.').waitFor()
  assert.deepEqual(other.problems, [])
  await other.context().close()
})

test('signing out ends the session and its streams', async () => {
  const signed = await fetch(server.url + '/auth/session', { method: 'POST', body: new URLSearchParams({ username: 'admin', password }) })
  const { token } = await signed.json()
  const headers = { Cookie: signed.headers.get('Set-Cookie').split(';')[0] }
  const stream = await fetch(server.url + '/events', { headers })
  const ended = (async () => {
    for await (const _ of stream.body);
  })()
  assert.equal((await fetch(server.url + '/auth/session', { method: 'DELETE', headers })).status, 403)
  assert.equal((await fetch(server.url + '/auth/session', { method: 'DELETE', headers: { ...headers, 'X-Kappa-Token': token } })).status, 204)
  assert.equal((await fetch(server.url + '/jobs', { headers })).status, 401)
  assert.equal(await Promise.race([ended.then(() => 'ended'), pause(10_000, 'open')]), 'ended')
})

test('every page, light and dark, keeps the rules of axe and fits every width', async () => {
  pages = await fill(server)
  const broken = []
  for (const [name, path] of Object.entries(pages)) {
    await visit(path)
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      await page.evaluate(axe.source)
      const { violations } = await page.evaluate(() => globalThis.axe.run())
      for (const v of violations) broken.push(`${name}, ${colorScheme}: ${v.id}: ${v.nodes[0].target} ${v.nodes[0].failureSummary}`)
    }
    for (const width of [320, 768, 1280, 2560]) {
      await page.setViewportSize({ width, height: 800 })
      const wide = await page.evaluate(() => document.documentElement.scrollWidth)
      if (wide > width) broken.push(`${name}: ${wide} px at a width of ${width}`)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  }
  assert.deepEqual(broken, [])
})

test('the graph is explored from a search, hop by hop, to the sentence that states a relationship', async () => {
  await visit('/explore')
  await page.getByRole('searchbox').fill('Rhine')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Rhine', exact: true }).click()
  await page.getByRole('heading', { name: 'Rhine' }).waitFor()
  await page.locator('.canvas canvas').first().waitFor({ state: 'attached' })
  const rows = page.getByRole('row')
  const before = await rows.count()
  await page.getByRole('button', { name: 'Expand river' }).click()
  await page.getByRole('heading', { name: 'river', exact: true }).waitFor()
  await page.waitForFunction((n) => document.querySelectorAll('tr').length > n, before)
  await page.reload()
  await page.getByRole('heading', { name: 'river', exact: true }).waitFor()
  await page.waitForFunction((n) => document.querySelectorAll('tr').length > n, before)
  const relationship = page.getByRole('complementary').locator('details').first()
  await relationship.locator('summary').click()
  await relationship.getByRole('link').first().click()
  await page.locator('mark.target').first().waitFor()
})

test('a lane is changed after a look at what changes, and a stale form says so', async () => {
  await visit('/lanes')
  await page.getByRole('button', { name: 'Change interactive' }).click()
  const dialog = page.getByRole('dialog')
  const slots = dialog.getByLabel('Slots')
  await slots.waitFor()
  const was = Number(await slots.inputValue())
  await server.call('PATCH', '/admin/workers/lanes/interactive', { max_slots: was + 1 })
  await slots.fill(String(was + 2))
  await dialog.getByText(`Slots: ${was} → ${was + 2}`).waitFor()
  await dialog.getByRole('button', { name: 'Change the lane' }).click()
  await dialog.getByText('was changed by somebody else meanwhile').waitFor()
  await dialog.getByText(`Slots: ${was + 1} → ${was + 2}`).waitFor()
  await dialog.getByRole('button', { name: 'Change the lane' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText(`of ${was + 2} slots`).waitFor()
})

test('a job is found, opened and cancelled by keyboard alone', async () => {
  const { job_id } = await server.call('POST', '/jobs', { job_type: 'noop', data: {} })
  await visit('/')
  await page.getByRole('searchbox').focus()
  await page.keyboard.type(job_id)
  await page.keyboard.press('Enter')
  const cancel = page.getByRole('button', { name: 'Cancel…' })
  await cancel.waitFor()
  for (let i = 0; i < 30 && !(await cancel.evaluate((b) => b === document.activeElement)); i++) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('cancelled').first().waitFor()
})

test('nothing went wrong in the page, and it asked no other origin', () => {
  assert.deepEqual(page.problems, [])
  const index = readFileSync(new URL('../../internal/http/console/dist/index.html', import.meta.url), 'utf8')
  assert.equal(/https?:\/\//.test(index), false)
})
