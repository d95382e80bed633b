package words

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Asking finds the words of a question that only ask, in the languages of asking.go: what, qué,
// welche, 什么. They stand in questions, and seldom in the passages that answer these, so that
// they would weigh much, and always be missing.
type Asking struct {
	text string
	asks []bool // by byte, of those in scripts without spaces; nil where there are none
}

// NewAsking reads a question.
func NewAsking(text string) Asking {
	a := Asking{text: text}
	unspaced, hasKana := false, false
	for _, r := range text {
		class := classOf(r)
		unspaced = unspaced || class == classPair || class == classTriple
		hasKana = hasKana || kana(r)
	}
	if !unspaced {
		return a
	}
	a.asks = make([]bool, len(text))
	list := askingUnspaced
	if hasKana { // of what Chinese asks with, Japanese has much in its words
		list = askingJapanese
	}
	for phrase := range strings.FieldsSeq(list) {
		for at := 0; ; {
			i := strings.Index(text[at:], phrase)
			if i < 0 {
				break
			}
			at += i
			for n := range len(phrase) {
				a.asks[at+n] = true
			}
			at += len(phrase)
		}
	}
	return a
}

// Has reports whether a word of the question only asks. What begins with a capital inside the
// question is a name.
func (a Asking) Has(w Word) bool {
	if Unspaced(w.Text) {
		return a.asks != nil && slices.Contains(a.asks[w.Start:w.End], true)
	}
	written := a.text[w.Start:w.End]
	if len(written) > longestAsking {
		return false
	}
	for i, r := range written {
		if unicode.IsUpper(r) && (i > 0 || strings.ContainsFunc(a.text[:w.Start], unicode.IsLetter)) {
			return false
		}
		if unicode.Is(unicode.Hangul, r) {
			return askingWords()[Prefix(w.Text)]
		}
	}
	return askingWords()[norm.NFC.String(strings.ToLower(written))]
}

const longestAsking = 32

// askingWords are compared as they are written: without their accents, other words are the same.
var askingWords = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(askingSpaced) {
		all[norm.NFC.String(w)] = true
	}
	for w := range strings.FieldsSeq(askingKorean) {
		all[Prefix(fold(w))] = true
	}
	return all
})

// askingSpaced has a line for each language that is written with spaces.
const askingSpaced = `
what who whom whose which when where why how much many do does did
was wer wem wen wessen wie wo wann warum weshalb wieso woher wohin wofür womit wodurch woran worin wozu wieviel viel viele vielen welche welcher welches welchem welchen
qué que quién quien quiénes quienes cuál cual cuáles cuales cuándo cuando dónde donde adónde cómo como cuánto cuánta cuántos cuántas cuanto cuanta cuantos cuantas
quel quelle quels quelles qui que qu quoi quand où comment pourquoi combien lequel laquelle lesquels lesquelles est-ce
chi che cosa cos quale quali qual quando dove come perché perchè quanto quanta quanti quante
quê quem quais onde porquê porque quantos quantas
què quin quina quins quines quan quant quants
wat waar wanneer waarom waarmee waardoor hoe hoeveel welk wiens
vem vad vems när varför hur vilken vilket vilka många mycket
hvem hvad hva hvor hvornår hvorfor hvordan hvilken hvilket hvilke når mange meget
mikä mitä missä mistä mihin milloin miksi miten kuka kenen ketkä ketä kuinka mitkä millä minkä mille millainen paljonko montako
ki kik mi mit mik mikor hol hová honnan miért hogyan melyik melyek mennyi hány milyen kinek
kto co kiedy gdzie dlaczego jak jaki jaka jakie jakiego jakiej jakim jakich jaką który która które którym którego której ile ilu kogo kim czego czym skąd dokąd czy
kdo kdy kde proč jaký jaká jaké který která které kterým kolik koho čeho čím kam odkud čo kedy prečo ako aký aká aké koľko ktorý ktorá ktoré
ce cine când unde cum care cât câtă câți câte cui
кто кого кому кем что чего чему чем когда где куда откуда почему зачем как какой какая какое какие каких какого какую каком каким какими какова каковы сколько такое такая такие который которая которые чей чья чьи
хто що коли де куди звідки чому як який яка яке які якого якій якою скільки чий таке така такі
кой коя кое кои какво какъв каква какви кога къде защо колко ко шта када зашто како колико који која које tko što kada gdje zašto kako koliko koji koja koje
ποιος ποια ποιο ποιοι ποιες ποιον ποιαν ποιου ποιας ποιων ποιους ποιός ποιά ποιό τι τί πότε πού που πώς πως γιατί πόσο πόσα πόσοι πόσες πόση πόσος πόσους
kim kimi kime kimin kimler ne neyi neyin neye neler nedir nerede nereye nereden neden niçin niye nasıl hangi hangisi kaç mı mi mu mü
ما هو هي ماذا من متى متي أين اين كيف لماذا كم أي اي أية هل بماذا لمن وما
چه چی کی کجا چرا چگونه چطور کدام چند چقدر آیا چیست کیست کیا کون کب کہاں کیوں کیسے کتنے کتنی کتنا کس
מה מהו מהי מהם מהן מי מתי איפה היכן למה מדוע איך כיצד כמה איזה איזו אילו האם
क्या कौन कौनसा कौनसी किसने किसे किसको किसके किसकी किसका किससे किसमें किस किन किन्हें कब कहाँ कहां क्यों कैसे कैसा कैसी कितना कितने कितनी
কি কী কে কখন কোথায় কেন কিভাবে কীভাবে কোন কোনটি কত কার কাকে কাদের
என்ன யார் எப்போது எங்கே எங்கு ஏன் எப்படி எது எத்தனை எவ்வளவு எந்த
apa siapa kapan mana mengapa kenapa bagaimana berapa apakah
gì ai đâu nào sao nhiêu
nani nini lini wapi vipi gani ngapi`

// askingKorean is compared by its first two syllables, since endings follow.
const askingKorean = `무엇 무슨 누구 누가 언제 어디 어떻 어느 어떤 얼마 왜 몇`

// askingUnspaced are Chinese, in both scripts, Thai, Lao and Khmer. What asks by itself only before
// some other characters stands with them.
const askingUnspaced = `什么 什麼 甚麼 甚么 谁 誰 哪 哪些 哪个 哪個 哪一 哪位 哪里 哪裡 哪种 哪種 多少 多大 多长 多長 多久 多高 多远 多遠 怎么 怎麼 怎样 怎樣 怎 何时 何時 何地 何处 何處 何种 何種 何人 何年 何事 何物 为何 為何 如何 有何 是何 于何 於何 几个 幾個 几年 幾年 几次 幾次 几种 幾種 几岁 幾歲 第几 第幾 吗 嗎 呢
อะไร ใคร ที่ไหน ไหน เมื่อไหร่ เมื่อไร เมื่อใด ทำไม อย่างไร ยังไง เท่าไร เท่าไหร่ เท่าใด กี่ ใด
ຫຍັງ ໃຜ ໃສ ເມື່ອໃດ ແນວໃດ ເທົ່າໃດ
អ្វី នរណា ណា ប៉ុន្មាន ម៉េច`

const askingJapanese = `何 誰 どこ いつ なぜ どの どれ どう どちら どんな いくつ いくら ですか ますか ましたか でしたか でしょうか とは`
