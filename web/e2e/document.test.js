// A document in the console: its marks, its places, its size, and how it is taken out.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openBrowser, openPage, signIn } from './browser.js'
import { settled } from './pages.js'
import { rivers } from './sample.js'
import { Server } from './server.js'

const html = `<!doctype html><html><head><title>Dams</title><style>p { margin: 0 }</style></head><body>
<p>A dam is a wall across a river. The <b>Grande Dixence</b> is a dam in Switzerland &amp; the tallest gravity dam.</p>
<p>A dam produces electricity. The Rhine is a river.</p></body></html>`

let server, browser, page, done

before(async () => {
  ;[server, browser] = await Promise.all([Server.start(), openBrowser()])
  page = await openPage(browser)
  await signIn(page, server.url)
  done = await server.ingest('rivers.md', rivers, 'water')
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

const quotesOf = (hash, ontology) => server.call('GET', `/documents/${encodeURIComponent(hash)}/quotes?ontology=${ontology}&limit=5000`).then((a) => a.quotes)
const open = async (hash, ontology, more = '') => {
  await page.goto(`${server.url}/console/documents/${encodeURIComponent(hash)}?ontology=${ontology}${more}`)
  await settled(page)
  await page.locator('mark').first().waitFor()
}
const marked = () => page.evaluate(() => [...document.querySelectorAll('.text mark')].map((m) => m.textContent).join(''))
const folded = (text) => text.replace(/\s+/g, ' ').trim()

test('every quote that became a concept or a relationship is marked', async () => {
  const quotes = await quotesOf(done.content_hash, 'water')
  assert.ok(quotes.some((q) => q.concepts.length > 0) && quotes.some((q) => q.relationships.length > 0))
  await open(done.content_hash, 'water')
  const bytes = Buffer.from(rivers)
  const covered = [...bytes.keys()].filter((i) => quotes.some((q) => q.start_byte <= i && i < q.end_byte))
  assert.equal(folded(await marked()), folded(Buffer.from(covered.map((i) => bytes[i])).toString()))
})

test('each quote is found at its bytes by its address, and a click on a mark says what it shows', async () => {
  const quotes = await quotesOf(done.content_hash, 'water')
  const stated = quotes.find((q) => q.relationships.length > 0)
  await open(done.content_hash, 'water', `&bytes=${stated.start_byte}-${stated.end_byte}`)
  await page.locator('mark.target').first().waitFor()
  assert.equal(folded((await page.locator('mark.target').allInnerTexts()).join('')), folded(stated.quote))
  const beside = page.getByRole('complementary', { name: 'Concepts' })
  await beside.getByRole('heading', { name: 'This quote' }).waitFor()
  const said = stated.relationships[0]
  await beside.getByRole('link', { name: said.from_name, exact: false }).first().waitFor()
  // Quotes overlap: each click on one place shows the next of them, and then the first again.
  const mark = page.locator('mark.target').first()
  const seen = new Set()
  for (let i = 0; i < 6; i++) {
    await mark.click()
    seen.add(new URL(page.url()).searchParams.get('bytes'))
  }
  assert.ok(seen.size >= 1 && [...seen].every((s) => quotes.some((q) => `${q.start_byte}-${q.end_byte}` === s)), [...seen].join())
})

test('one walks from quote to quote by keyboard', async () => {
  await open(done.content_hash, 'water')
  const next = page.getByRole('button', { name: 'Next quote' })
  await next.focus()
  await page.keyboard.press('Enter')
  await page.getByText(/^1 of \d+$/).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText(/^2 of \d+$/).waitFor()
  await page.locator('mark.target').first().waitFor()
})

test('what was read of a page is shown and marked, and not its markup', async () => {
  const read = await server.ingest('dams.html', html, 'dams')
  const quotes = await quotesOf(read.content_hash, 'dams')
  await open(read.content_hash, 'dams')
  const text = await page.locator('.text').innerText()
  assert.ok(!text.includes('<p>') && text.includes('tallest gravity dam'), text)
  for (const q of quotes.slice(0, 5)) {
    await open(read.content_hash, 'dams', `&bytes=${q.start_byte}-${q.end_byte}`)
    await page.locator('mark.target').first().waitFor()
    assert.equal(folded((await page.locator('mark.target').allInnerTexts()).join('')), folded(q.quote))
  }
})

test('a document is taken out after what goes was shown', async () => {
  const read = await server.ingest('lakes.md', 'A lake is a body of water. A tarn is a lake in the mountains. A tarn feeds a brook.\n', 'lakes')
  await open(read.content_hash, 'lakes')
  await page.getByRole('link', { name: 'Its job' }).waitFor()
  await page.getByRole('button', { name: 'Take it out…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Take lakes.md out of lakes?' })
  await dialog.getByText(/1 chunk and \d+ quotes? go/).waitFor()
  await dialog.getByText('the ontology lakes goes with its last document').waitFor()
  await dialog.getByRole('button', { name: 'Take it out' }).click()
  await page.getByText('lakes.md is out of lakes').waitFor()
  const { documents } = await server.call('GET', '/documents')
  assert.ok(!documents.some((d) => d.filename === 'lakes.md'))
})

test('nothing went wrong in the page', () => assert.deepEqual(page.problems, []))
