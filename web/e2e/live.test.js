// The event stream that all tabs of a browser share.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openBrowser, openPage, signIn } from './browser.js'
import { settled } from './pages.js'
import { Server } from './server.js'

let server, browser, first, second
const streams = [] // the tab of each stream that was opened

const watched = (page, name) => {
  page.on('request', (r) => new URL(r.url()).pathname === '/api/events' && streams.push(name))
  return page
}
const row = (page, id) => page.locator(`tr[data-job="${id}"]`)
const jobs = async (page) => {
  await page.goto(server.url + '/console/jobs')
  await settled(page)
  await page.getByText('live', { exact: true }).waitFor()
}
const submit = (data) => server.call('POST', '/jobs', { job_type: 'sleep', data, auto_approve: true }).then((j) => j.job_id)

before(async () => {
  ;[server, browser] = await Promise.all([Server.start(), openBrowser()])
  first = watched(await openPage(browser), 'first')
  await signIn(first, server.url)
  await jobs(first)
  second = await first.context().newPage()
  second.setDefaultTimeout(30_000)
  watched(second, 'second')
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

test('two tabs share one stream, and both show what changes', async () => {
  const early = await submit({ ms: 600_000, steps: 600 })
  await row(first, early).getByText('running').waitFor()
  const before = streams.length
  await second.goto(server.url + '/console/')
  // It is told of what ran before it was opened.
  await second.getByRole('progressbar').waitFor()
  await jobs(second)
  const id = await submit({ ms: 1000, steps: 10 })
  await Promise.all([first, second].map((page) => row(page, id).getByText('completed').waitFor()))
  assert.deepEqual(streams.slice(before), [])
  await server.call('DELETE', '/jobs/' + early)
  await Promise.all([first, second].map((page) => row(page, early).getByText('cancelled').waitFor()))
})

test('the server killed and started again is seen by both, and nothing is missing or there twice', async () => {
  const id = await submit({ ms: 8000, steps: 80 })
  await row(second, id).getByText('running').waitFor()
  await server.kill()
  await Promise.all([first, second].map((page) => page.getByText('The connection to the server is lost.').waitFor()))
  await server.run()
  await Promise.all([first, second].map((page) => row(page, id).getByText('completed').waitFor({ timeout: 60_000 })))
  assert.deepEqual(await Promise.all([first, second].map((page) => row(page, id).count())), [1, 1])
})

test('a tab that closes hands the stream over to another', async () => {
  const before = streams.length
  await first.close()
  const id = await submit({ ms: 1000, steps: 10 })
  await row(second, id).getByText('completed').waitFor()
  assert.deepEqual(streams.slice(before), ['second'])
})

test('a job that is deleted goes from the list, and its page says so', async () => {
  const { job_id: id } = await server.call('POST', '/jobs', { job_type: 'noop', data: {} })
  await row(second, id).getByText('awaiting approval').waitFor()
  const third = await second.context().newPage()
  await third.goto(`${server.url}/console/jobs/${id}`)
  await third.getByText('awaiting approval').first().waitFor()
  await server.call('DELETE', `/jobs/${id}?purge=true`)
  await row(second, id).waitFor({ state: 'detached' })
  await third.getByRole('alert').getByText(id).waitFor()
})
