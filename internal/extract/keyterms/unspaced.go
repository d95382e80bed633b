package keyterms

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
)

// Terms of scripts without spaces are runs of characters that are repeated.
const (
	longestHan   = 8  // characters
	longestOther = 26 // of Thai and its neighbours, whose words are longer
	shortestThai = 4
	longThai     = 6 // a shorter one has to be repeated more often
)

// hanBegins begin no term of Han or Kana, and hanEnds end none.
const (
	hiragana  = "はがをにでとのもやへかねよわなっただしてるいれさせられこそまりんくきけみ"
	hanEnds   = "的了是在和与與及其这這那一之以于於从從到把被将將所他她它们們我你或但并並而也就都不很更向着著过過给給每各该該此如若则則且即无無谁誰何什么麼吗嗎呢吧啊哪些几幾两兩第約约稱称叫中上下内內外里裡间間" + hiragana
	hanBegins = "的了是在和与與有为為不也就都而及其这這那一個个之以于於对對从從到被把将將所他她它们們我你或但并並很更最会會能可等后後前时時使由向着著过過给給还還又再才只每各某该該此因如若则則且即已未无無非您谁誰何什么麼吗嗎呢吧啊哪些几幾多少两兩" +
		"三四五六七八九十百千万萬第約约曾称稱叫次名位场場条條年月日" + hiragana
)

// hanWords are the most frequent words of Chinese that name nothing.
var hanWords = wordSet("认为 認為 没有 沒有 成为 成為 同时 同時 来自 來自 可以 进行 進行 由于 由於 因此 但是 以及 通过 通過 其中 之后 之後 之前 需要 已经 已經 开始 開始 一些 许多 許多 这些 這些 那些 他们 他們 我们 我們 自己 如果 因为 因為 所以 虽然 雖然 " +
	"然而 根据 根據 关于 關於 对于 對於 使用 包括 作为 作為 得到 出现 出現 发生 發生 存在 称为 稱為 导致 導致 随着 隨著 直到 主要 重要 不同 大量 非常 当时 當時 后来 後來 现在 現在 目前 期间 期間 方面 情况 情況 时候 時候 迫使 提供 拥有 擁有 具有 属于 屬於 位于 位於 多数 多數 大多 解释 解釋 结合 結合 广泛 廣泛")

// neverThai begins or ends no term.
var neverThai = []string{"และ", "ที่", "ของ", "ใน", "เป็น", "ได้", "จาก", "ว่า", "โดย", "กับ", "แต่", "หรือ", "ไม่", "มี", "จะ", "ให้", "นี้", "ซึ่ง", "ก็", "แล้ว", "ถึง", "เพื่อ", "ไป", "มา", "อยู่", "อีก"}

// gram is a run of characters that is counted.
type gram struct {
	places        []place
	before, after sides
}

// sides are the characters on one side of a gram.
type sides struct {
	first rune
	n     int // of different ones: 0, 1, or 2 for more
}

func (s *sides) add(r rune) {
	if s.n == 0 {
		s.first, s.n = r, 1
	} else if r != s.first {
		s.n = 2
	}
}

// addUnspaced finds what is repeated in scripts without spaces, and what stands between the
// marks of titles and quotations.
func (t *text) addUnspaced(terms map[string]*term) {
	grams := map[string]*gram{}
	for i, k := range t.tokens {
		if !k.unspaced {
			continue
		}
		word := t.text[k.Start:k.End]
		if t.isTitled(k) {
			t.add(terms, word, place{k.Span, k.sentence}, 2, true)
		}
		t.addKatakana(terms, k)
		count(grams, word, t.tokens[i])
	}
	for word, g := range grams {
		if !isTerm(word, g, grams) {
			continue
		}
		for _, p := range g.places {
			t.add(terms, word, p, 1+utf8.RuneCountInString(word)/3, false)
		}
	}
}

// addKatakana finds words in Katakana, in which Japanese writes foreign names.
func (t *text) addKatakana(terms map[string]*term, k token) {
	const shortest = 3
	for at := k.Start; at < k.End; {
		n := strings.IndexFunc(t.text[at:k.End], isKatakana)
		if n < 0 {
			return
		}
		at += n
		end := k.End
		if n := strings.IndexFunc(t.text[at:k.End], func(r rune) bool { return !isKatakana(r) }); n > 0 {
			end = at + n
		}
		if word := t.text[at:end]; utf8.RuneCountInString(word) >= shortest {
			t.add(terms, word, place{corpus.Span{Start: at, End: end}, k.sentence}, 1, true)
		}
		at = end
	}
}

func isKatakana(r rune) bool { return unicode.Is(unicode.Katakana, r) || r == 'ー' || r == '・' }

// isTitled reports whether a word stands alone between the marks of a title or a quotation.
func (t *text) isTitled(k token) bool {
	before, _ := utf8.DecodeLastRuneInString(t.text[:k.Start])
	after, _ := utf8.DecodeRuneInString(t.text[k.End:])
	const most = 40 // bytes
	return k.End-k.Start <= most && (before == '《' && after == '》' || before == '「' && after == '」' || before == '『' && after == '』')
}

// count counts the grams of a run.
func count(grams map[string]*gram, run string, k token) {
	var starts []int
	for i := range run {
		starts = append(starts, i)
	}
	starts = append(starts, len(run))
	for i := range len(starts) - 1 {
		first, _ := utf8.DecodeRuneInString(run[starts[i]:])
		previous, _ := utf8.DecodeLastRuneInString(run[:starts[i]])
		if unicode.IsMark(first) || isKatakana(first) && isKatakana(previous) {
			continue
		}
		shortest, longest := 2, longestHan
		if isThai(first) {
			shortest, longest = shortestThai, longestOther
		}
		for n := shortest; n <= longest && i+n < len(starts); n++ {
			end := starts[i+n]
			next, _ := utf8.DecodeRuneInString(run[end:])
			word := run[starts[i]:end]
			if last, _ := utf8.DecodeLastRuneInString(word); unicode.IsMark(next) || isKatakana(last) && isKatakana(next) {
				continue
			}
			g := grams[word]
			if g == nil {
				g = &gram{}
				grams[word] = g
			}
			g.before.add(previous)
			g.after.add(next)
			g.places = append(g.places, place{corpus.Span{Start: k.Start + starts[i], End: k.Start + end}, k.sentence})
		}
	}
}

func isThai(r rune) bool {
	return unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// isTerm reports whether a gram is a word or a phrase: it is repeated, with different
// characters on both sides, and its parts stand together more often than apart.
func isTerm(word string, g *gram, grams map[string]*gram) bool {
	first, _ := utf8.DecodeRuneInString(word)
	last, size := utf8.DecodeLastRuneInString(word)
	n, length := len(g.places), utf8.RuneCountInString(word)
	least := 2
	if length == 2 || isThai(first) && length < longThai {
		least = 3
	}
	if n < least || g.before.n < 2 || g.after.n < 2 {
		return false
	}
	if isThai(first) {
		for _, f := range neverThai {
			if strings.HasPrefix(word, f) || strings.HasSuffix(word, f) {
				return false
			}
		}
		// A vowel that is written before its consonant begins the next word.
		return !strings.ContainsRune("เแโใไ", last) && !strings.ContainsRune("ะาำๆฯ", first)
	}
	if strings.ContainsRune(hanBegins, first) || strings.ContainsRune(hanEnds, last) {
		return false
	}
	if length == 2 {
		return !hanWords[word]
	}
	_, firstSize := utf8.DecodeRuneInString(word)
	// Where a part is much more frequent than the whole, the rest is another word.
	for _, part := range []string{word[firstSize:], word[:len(word)-size]} {
		if p := grams[part]; p != nil && len(p.places) > 2*n {
			return false
		}
	}
	return true
}
