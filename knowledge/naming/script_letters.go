package naming

import "strings"

// latinLetters says what letters of other scripts, and of Latin with marks, are in plain Latin ones,
// about as names are spelled in English. A letter without any, such as ъ, is not heard.
var latinLetters = func() map[rune]string {
	all := map[rune]string{}
	for pair := range strings.FieldsSeq(cyrillicLetters + greekLetters + georgianLetters + armenianLetters + hebrewLetters + arabicLetters + markedLetters) {
		from, to, _ := strings.Cut(pair, "=")
		for _, r := range from {
			all[r] = to
		}
	}
	return all
}()

const (
	cyrillicLetters = `а=a б=b в=v гґ=g дђ=d еєэ=e ё=o ж=zh зѕ=z иіыї=i йј=y к=k лљ=l м=m нњ=n о=o п=p р=r с=s тћ=t уў=u ф=f х=kh ц=ts ч=ch џ=j ш=sh щ=sh ъ= ь= ю=yu я=ya `
	greekLetters    = `αά=a β=v γ=g δ=d εέ=e ζ=z ηή=i θ=th ιίϊΐ=i κ=k λ=l μ=m ν=n ξ=x οό=o π=p ρ=r σς=s τ=t υύϋΰ=y φ=ph χ=kh ψ=ps ωώ=o `
	georgianLetters = `ა=a ბ=b გ=g დ=d ე=e ვ=v ზ=z თ=t ი=i კ=k ლ=l მ=m ნ=n ო=o პ=p ჟ=zh რ=r ს=s ტ=t უ=u ფ=p ქ=k ღ=gh ყ=q შ=sh ჩ=ch ც=ts ძ=dz წ=ts ჭ=ch ხ=kh ჯ=j ჰ=h `
	armenianLetters = `ա=a բ=b գ=g դ=d ե=e զ=z է=e ը=e թ=t ժ=zh ի=i լ=l խ=kh ծ=ts կ=k հ=h ձ=dz ղ=gh ճ=ch մ=m յ=y ն=n շ=sh ո=o չ=ch պ=p ջ=j ռ=r ս=s վ=v տ=t ր=r ց=ts ւ=v փ=p ք=k օ=o ֆ=f և=ev `
	hebrewLetters   = `א= ב=b ג=g ד=d ה=h ו=v ז=z ח=h ט=t י=y כך=k ל=l מם=m נן=n ס=s ע= פף=p צץ=ts ק=k ר=r ש=sh ת=t `
	arabicLetters   = `اأإآءىئؤ= ب=b پ=p ت=t ث=th ج=j چ=ch ح=h خ=kh د=d ذ=z ر=r ز=z ژ=zh س=s ش=sh ص=s ض=d ط=t ظ=z ع= غ=g ف=f ق=q كک=k گ=g ل=l م=m ن=n ه=h ة= و=v يی=y `
	markedLetters   = `àáâãäåāăą=a æ=e çćĉċč=c ďđð=d èéêëēĕėęě=e ĝğġģ=g ĥħ=h ìíîïĩīĭįı=i ĵ=j ķ=k ĺļľŀł=l ñńņňŋ=n òóôõöøōŏő=o œ=e ŕŗř=r śŝşšș=s ß=ss ţťŧțþ=t ùúûüũūŭůűų=u ŵ=w ýÿŷ=y źżž=z `
)
