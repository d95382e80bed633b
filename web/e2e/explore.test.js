// The explorer: filters, paths, colours, files, the map, and going back.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { openBrowser, openPage, signIn } from './browser.js'
import { settled } from './pages.js'
import { glaciers, rivers } from './sample.js'
import { Server } from './server.js'

let server, browser, page, rhine

before(async () => {
  ;[server, browser] = await Promise.all([Server.start(), openBrowser()])
  page = await openPage(browser)
  await signIn(page, server.url)
  await server.ingest('rivers.md', rivers, 'water')
  await server.ingest('glaciers.md', glaciers, 'ice')
  const { results } = await server.call('POST', '/query/search', { query: 'Rhine', limit: 1 })
  rhine = results[0].concept_id
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

const visit = async (query) => {
  await page.goto(`${server.url}/console/explore${query}`)
  await settled(page)
}
const heading = () => page.getByRole('heading', { name: /concepts and .* shown/ })
const rows = () => page.locator('table tbody tr').count()
const around = async (more = '') => {
  await visit(`?c=${rhine}&open=${rhine}${more}`)
  await heading().waitFor()
}

test('it always says how much of the graph is shown', async () => {
  await around()
  const { total } = await server.call('GET', '/concepts?limit=1')
  await page.getByRole('heading', { name: new RegExp(`^\\d+ of ${total} concepts`) }).waitFor()
  assert.equal(Number((await heading().innerText()).split(' ')[0]), await rows())
  await around('&most=2')
  const before = await rows()
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.waitForFunction((n) => document.querySelectorAll('tbody tr').length > n, before)
})

test('filters are in the address, and going back undoes', async () => {
  await around()
  const all = await rows()
  await page.getByText('Relationships: all').click()
  const first = page.locator('.choices').first().getByRole('checkbox').first()
  await first.check()
  await page.waitForURL(/type=/)
  await page.waitForFunction((n) => document.querySelectorAll('tbody tr').length < n, all)
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.waitForFunction((n) => document.querySelectorAll('tbody tr').length === n, all)
  await page.getByRole('slider').fill('100')
  await page.waitForURL(/confidence=100/)
  await page.waitForFunction((n) => document.querySelectorAll('tbody tr').length < n, all)
  await page.reload()
  await page.getByText('Confidence at least 100 %').waitFor()
})

test('a concept is hidden, shown again and pinned', async () => {
  await around()
  const all = await rows()
  await page.getByRole('button', { name: 'Hide river', exact: true }).click()
  await page.waitForFunction((n) => document.querySelectorAll('tbody tr').length < n, all)
  await page.getByRole('button', { name: 'Show 1 hidden' }).click()
  await page.waitForFunction((n) => document.querySelectorAll('tbody tr').length === n, all)
  await page.getByRole('button', { name: 'Pin', exact: true }).click()
  await page.getByRole('button', { name: 'Unpin 1' }).waitFor()
  assert.ok(page.url().includes('pin=' + rhine))
})

test('a path between two concepts is found, with the sentences that state it', async () => {
  const { nodes } = await server.call('POST', '/query/neighborhood', { concept_id: rhine, max_hops: 2 })
  const { label } = nodes.find((n) => n.distance === 2)
  await around()
  await page.getByText('Find a path to another concept').click()
  await page.getByLabel('To which concept').fill(label)
  await page.keyboard.press('Enter')
  await page.getByRole('complementary').locator('details li').filter({ hasText: 'water' }).getByRole('button', { name: label, exact: true }).first().click()
  await page.getByRole('heading', { name: new RegExp(`paths? from Rhine to ${label}`) }).waitFor()
  const step = page.locator('.paths details[open] ol > li').first()
  await step.getByRole('link').first().click()
  await page.locator('mark.target').first().waitFor()
})

test('communities have colours and a legend', async () => {
  await around()
  await page.getByLabel('Colour').selectOption('distance')
  await page.getByRole('list', { name: 'Legend' }).getByText('one relationship away').waitFor()
  await page.getByLabel('Colour').selectOption('ontology')
  await page.getByRole('list', { name: 'Legend' }).getByText('water').waitFor()
  await page.getByLabel('Size').selectOption('quotes')
  await page.waitForURL(/color=ontology&size=quotes/)
  await page.getByLabel('Colour').selectOption('community')
  await page.waitForURL(/color=community/)
})

test('what is shown is saved as a picture and as files', async () => {
  await around()
  await page.locator('.canvas canvas').first().waitFor({ state: 'attached' })
  const saved = async (name) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()])
    return readFileSync(await download.path())
  }
  assert.equal((await saved('Save as PNG')).subarray(1, 4).toString(), 'PNG')
  assert.equal(JSON.parse(await saved('Save as JSON')).nodes.length, await rows())
  assert.ok((await saved('Save as GraphML')).toString().includes(`<node id="${rhine}">`))
})

test('the map of everything is made, shown and left for a concept', async () => {
  await visit('')
  await page.getByRole('link', { name: 'Map of everything' }).click()
  await page.getByRole('button', { name: 'Make the map' }).click()
  await page.getByText(/concepts: what is alike is close/).waitFor({ timeout: 60_000 })
  await page.locator('.canvas canvas').first().waitFor({ state: 'attached' })
  await page.getByLabel('Colour').selectOption('ontology')
  await page.getByRole('list', { name: 'Legend' }).getByText('ice').waitFor()
  await page.getByRole('button', { name: 'river', exact: true }).click()
  await page.getByRole('button', { name: 'Explore around it' }).click()
  await heading().waitFor()
})

test('nothing went wrong in the page', () => assert.deepEqual(page.problems, []))
