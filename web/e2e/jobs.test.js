// The list of jobs and a job's page: what many of them and one of them have to say.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openBrowser, openPage, signIn } from './browser.js'
import { settled } from './pages.js'
import { rivers } from './sample.js'
import { Server } from './server.js'

let server, browser, page

before(async () => {
  ;[server, browser] = await Promise.all([Server.start(), openBrowser()])
  page = await openPage(browser)
  await signIn(page, server.url)
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

const visit = async (path) => {
  await page.goto(server.url + '/console' + path)
  await settled(page)
}
const noop = (more = {}) => server.call('POST', '/jobs', { job_type: 'noop', data: {}, ...more }).then((j) => j.job_id)

test('a job says where its time went, and what has happened to it', async () => {
  const job = await server.ingest('rivers.md', rivers, 'water')
  await visit('/jobs/' + job.job_id)
  const times = page.locator('.phases')
  for (const phase of ['until its approval', 'in the queue', 'running', /a chunk, for \d+ chunk/]) await times.getByText(phase).waitFor()
  await page.getByText('Events as they come').click()
  const events = page.getByRole('list', { name: 'Events' })
  await events.getByText('approved → processing').waitFor()
  await events.getByText('completed', { exact: true }).waitFor()
})

test('what happens to a job appears among its events', async () => {
  const { job_id } = await server.call('POST', '/jobs', { job_type: 'sleep', data: { ms: 500, steps: 5 } })
  await visit('/jobs/' + job_id)
  await page.getByText('Events as they come').click()
  const events = page.getByRole('list', { name: 'Events' })
  await events.getByText('awaiting_approval', { exact: false }).first().waitFor()
  await page.getByRole('button', { name: 'Approve' }).click()
  await events.getByText('processing → completed').waitFor()
})

test('the priority of a job that waits is changed, and it is deleted', async () => {
  const id = await noop({ auto_approve: true, run_at: new Date(Date.now() + 3_600_000).toISOString() })
  await visit('/jobs/' + id)
  await page.getByRole('button', { name: 'Priority 0…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/Priority, from/).fill('7')
  await dialog.getByRole('button', { name: 'Change' }).click()
  await page.getByRole('button', { name: 'Priority 7…' }).waitFor()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the job' }).click()
  await page.waitForURL(/\/jobs$/)
  await assert.rejects(server.call('GET', '/jobs/' + id), /404/)
})

test('a filter is kept as a view, and forgotten', async () => {
  await visit('/jobs')
  await page.getByText('More filters').click()
  await page.getByLabel('Lane').fill('interactive')
  await page.getByLabel('Waits for').fill('approval')
  await page.keyboard.press('Enter')
  await page.waitForURL(/lane=interactive&waits_for=approval/)
  await page.getByLabel('Name of this view').fill('mine <b>')
  await page.getByRole('button', { name: 'Keep the view' }).click()
  await visit('/jobs')
  await page.getByRole('link', { name: 'mine <b>' }).click()
  await page.waitForURL(/lane=interactive&waits_for=approval/)
  await page.getByRole('button', { name: 'Forget this view' }).click()
  await page.getByRole('link', { name: 'mine <b>' }).waitFor({ state: 'detached' })
})

test('of many jobs those in view are rendered; new ones appear on top, and a range is selected with shift', async () => {
  for (let i = 0; i < 12; i++) await Promise.all(Array.from({ length: 50 }, () => noop()))
  await visit('/jobs')
  await page.getByText('live', { exact: true }).waitFor()
  const shown = page.getByText(/^\d+ jobs shown/)
  for (let i = 0; i < 20 && Number((await shown.innerText()).split(' ')[0]) < 600; i++) {
    const before = await shown.innerText()
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    await page.waitForFunction((t) => [...document.querySelectorAll('.actions .muted')].every((e) => e.textContent !== t), before)
  }
  assert.ok((await page.locator('tr[data-job]').count()) < 120)
  await page.evaluate(() => scrollTo(0, 0))
  const id = await noop()
  await page.locator(`tbody tr[data-job]:first-child[data-job="${id}"]`).waitFor()
  const boxes = page.locator('tr[data-job] input')
  await boxes.nth(1).click()
  await boxes.nth(5).click({ modifiers: ['Shift'] })
  await page.getByText('5 jobs selected').waitFor()
})

test('nothing went wrong in the page', () => assert.deepEqual(page.problems, []))
