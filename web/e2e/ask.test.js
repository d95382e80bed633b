// Ask and search: facets, the concepts of an answer, and what a model says of the passages.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openBrowser, openPage, signIn } from './browser.js'
import { settled } from './pages.js'
import { glaciers, rivers } from './sample.js'
import { Server } from './server.js'

let server, browser, page

before(async () => {
  ;[server, browser] = await Promise.all([Server.start(), openBrowser()])
  page = await openPage(browser)
  await signIn(page, server.url)
  await server.ingest('rivers.md', rivers, 'water')
  await server.ingest('glaciers.md', glaciers, 'ice')
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

const ask = async (question) => {
  await page.goto(`${server.url}/console/ask?q=${encodeURIComponent(question)}`)
  await settled(page)
}
const hits = () => page.locator('section').filter({ hasText: 'Everything with these words' }).locator('li')

test('concepts, documents and passages are found, and narrowed by facets that the address holds', async () => {
  await ask('river')
  const what = page.getByRole('group', { name: 'What' })
  await what.getByRole('button', { name: /^concept \d+$/ }).click()
  await page.waitForURL(/find=concept/)
  await hits().first().waitFor()
  await page.waitForFunction(() => [...document.querySelectorAll('.rows li')].filter((li) => li.textContent.includes('passage')).length === 0)
  assert.ok(await hits().count())
  await page.getByRole('button', { name: /^concept \d+$/ }).click()
  await page.getByRole('group', { name: 'Ontology' }).getByRole('button', { name: /^ice/ }).click()
  await page.waitForURL(/ontologies=ice/)
  await page.reload()
  await hits().getByRole('link', { name: 'glaciers.md' }).first().waitFor()
  assert.equal(await hits().getByRole('link', { name: 'rivers.md' }).count(), 0)
})

test('the concepts of an answer are drawn when somebody wants to see them', async () => {
  await ask('What is a dam?')
  await page.getByText('As a picture').click()
  await page.locator('.small canvas').first().waitFor({ state: 'attached' })
})

test('a model answers sentence by sentence, after its price was shown', async () => {
  const events = (list) => ({ contentType: 'text/event-stream', body: list.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join('') })
  const answer = await server.call('POST', '/query/ask', { question: 'What is a dam?', limit: 10 })
  const offer = [['passages', answer], ['offer', { model: 'm-1', input_tokens: 900, most_output_tokens: 500, cost_at_most_usd: 0.02 }]]
  await page.route('**/api/query/ask/answer', (route) =>
    route.fulfill(events(route.request().postDataJSON().offer_only ? offer : [...offer, ['sentence', { text: 'A dam is <b>a wall</b>.', passages: [1] }], ['end', { answered: true, sentences_dropped: 1, cut: false, cost_usd: 0.001 }]])))
  await ask('What is a dam?')
  await page.getByRole('button', { name: 'Answer in sentences (at most $0.02)' }).click()
  await page.getByText('A dam is <b>a wall</b>.').waitFor()
  await page.getByText('1 left out: no passage says so.').waitFor()
  await page.locator('sup').getByRole('link', { name: '1' }).click()
  await page.locator('mark.target').first().waitFor()
})

test('without a model there is no offer', async () => {
  await page.unroute('**/api/query/ask/answer')
  const refused = page.waitForResponse('**/api/query/ask/answer')
  await ask('What is a dam?')
  assert.equal((await refused).status(), 501)
  assert.equal(await page.getByText('In the words of a model').count(), 0)
})

test('nothing went wrong in the page', () => assert.deepEqual(page.problems, []))
