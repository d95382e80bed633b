package naming

import "strings"

// wordSet makes a set of words.
func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// wordPairs makes a map of "word=other".
func wordPairs(pairs string) map[string]string {
	m := map[string]string{}
	for p := range strings.FieldsSeq(pairs) {
		key, value, _ := strings.Cut(p, "=")
		m[key] = value
	}
	return m
}

// replacer replaces each "old=new", wherever it stands; of two that start alike the
// longer stands first.
func replacer(pairs string) *strings.Replacer {
	var list []string
	for p := range strings.FieldsSeq(pairs) {
		before, after, _ := strings.Cut(p, "=")
		list = append(list, before, after)
	}
	return strings.NewReplacer(list...)
}

// titles stand before the name of a person. Those with a rank exclude other ranks: Mr.
// John Smith is not Mrs. John Smith, but may be Dr. John Smith.
var titles = wordPairs(`Mr=mr Mister=mr Mrs=mrs Ms=mrs Miss=mrs Dr= Prof= Professor= Sir= Dame=
	President= Senator= Chancellor= King=king Queen=queen Pope=pope Emperor=emperor Empress=empress Prince=prince Princess=princess`)

// namedThings are named after persons: Queen Victoria Street is not Victoria Street.
var namedThings = wordSet(`street road avenue square bridge island islands bay lake river mount mountain park station line
	hospital university college school institute library museum church cathedral house palace hall airport prize award medal
	theorem law equation effect constant foundation center centre company corporation bible day war act fund trust theatre theater`)

// legalForms stand behind the name of a company; degrees behind that of a person.
var legalForms = wordSet(`Inc INC Incorporated Ltd LTD Limited LLC LLP GmbH AG plc PLC Plc Corp Corporation Pty SpA BV NV PhD MD Esq`)

// shortFirstWords are words that are cut short at the start of a name.
var shortFirstWords = wordPairs(`St=saint Mt=mount Ft=fort`)

// musicalKeys stand behind the letter A: A minor is not minor.
var musicalKeys = wordPairs(`minor= major= flat= sharp= cappella= priori= posteriori=`)

// acronymsThatAreWords are other things in lower case, of three letters and more.
var acronymsThatAreWords = wordSet(`who aids ram rom cat sat act arm art bat pet gap ace aim apt ant bar bit bus cad cam can cap
	car chip cob cop cow dare dart den dot ear eat end era fan far fat fed fit fix flu fun gas gum has hat her hip hit hot ice ion
	jet key kid kit lab lad lap law led leo let lid log lot map mass mat may men mix mob mud nap net nice not oil one out owl pal pan
	pap pat pen pie pin pip pit pop pot rag rap rat raw red rest rig rip rob rod root run sad sap say sea seal see set she sin sip sit
	ski smart son soap sons spin star start step sun swift tan tap tar tax tea ten tip toe top toy van vat vet via war was web win wise you`)

// namesThatAreWords are other things in lower case than with a capital.
var namesThatAreWords = wordSet(`polish turkey china march may august swift rust python ruby apple amazon java windows word excel
	access office outlook oracle safari chrome shell target gap visa mercury earth mars job nice reading bath cork chad jordan
	lent natal scone slough tangier pascal ada go dart scratch spring flask rails docker kafka spark hive storm`)

// namesInS are names of persons and places that another name with an s added is not.
var namesInS = wordSet(`adams peters williams roberts edwards richards stevens stephens phillips matthews andrews daniels
	davids michaels johns samuels simons abrahams jacobs isaacs martins allens owens evans hughes jones james charles rogers
	harris morris lewis davis rodgers mills woods fields brooks banks rivers waters parks wells hicks meyers myers burns childs
	hopkins perkins watkins jenkins dickens higgins wales athens brussels mars alps andes texas kansas`)

// pluralNouns are nouns that another thing is without their s.
var pluralNouns = wordSet(`news arms customs goods means species series thanks savings premises proceedings remains surroundings
	headquarters lens clothes trousers pants physics odds wages spectacles looks manners minutes works grounds
	gas bias alias atlas canvas pancreas christmas texas kansas chaos cosmos
	outskirts diabetes rabies scabies herpes kubernetes mercedes postgres`)

// irregularNouns are plurals that no rule makes singular.
var irregularNouns = wordPairs(`mice=mouse men=man women=woman children=child feet=foot teeth=tooth geese=goose criteria=criterion
	phenomena=phenomenon analyses=analysis hypotheses=hypothesis theses=thesis crises=crisis axes=axis bases=base indices=index
	vertices=vertex matrices=matrix appendices=appendix leaves=leaf wolves=wolf knives=knife lives=life halves=half shelves=shelf
	loaves=loaf thieves=thief wives=wife calves=calf hooves=hoof elves=elf selves=self larvae=larva algae=alga antennae=antenna
	formulae=formula vertebrae=vertebra nebulae=nebula nuclei=nucleus fungi=fungus cacti=cactus stimuli=stimulus radii=radius
	alumni=alumnus bacilli=bacillus foci=focus loci=locus bacteria=bacterium spectra=spectrum strata=stratum quanta=quantum
	mitochondria=mitochondrion ganglia=ganglion automata=automaton polyhedra=polyhedron ova=ovum errata=erratum
	viruses=virus buses=bus lenses=lens gases=gas indexes=index biases=bias statuses=status campuses=campus caches=cache
	aliases=alias atlases=atlas canvases=canvas bonuses=bonus sinuses=sinus censuses=census foetuses=fetus fetuses=fetus
	corpora=corpus genera=genus headaches=headache moustaches=moustache avalanches=avalanche niches=niche aches=ache
	movies=movie cookies=cookie zombies=zombie calories=calorie prairies=prairie quizzes=quiz canoes=canoe oboes=oboe
	sexes=sex axles=axle oxen=ox dice=die`)

// hyphenatedOnly are words that without the hyphen are others: to re-sign is not to
// resign.
var hyphenatedOnly = wordSet(`resign recover recreation reform represent release resort react recount reserve resent remark
	retreat repress reposition redress relay resound return restrain coop unionized unionised multiply`)

// accentCounts are words that without their accent are others.
var accentCounts = wordSet(`rosé exposé résumé pâté maté lamé piqué saké malé öre øre`)

// smallWords say nothing about what is named.
var smallWords = wordSet(`of the and in on at for to a an by with from or de la von van der`)

// letterFolds writes letters without their marks.
var letterFolds = replacer(`à=a á=a â=a ã=a ä=a å=a ā=a ă=a ą=a À=A Á=A Â=A Ã=A Ä=A Å=A Ā=A Ă=A Ą=A
	ç=c ć=c č=c ĉ=c ċ=c Ç=C Ć=C Č=C ď=d đ=d ð=d Ď=D Đ=D Ð=D è=e é=e ê=e ë=e ē=e ĕ=e ė=e ę=e ě=e È=E É=E Ê=E Ë=E Ē=E Ė=E Ę=E Ě=E
	ğ=g ģ=g ġ=g Ğ=G ħ=h Ħ=H ì=i í=i î=i ï=i ī=i į=i ı=i Ì=I Í=I Î=I Ï=I Ī=I İ=I ķ=k Ķ=K ł=l ľ=l ļ=l ĺ=l Ł=L Ľ=L Ļ=L
	ñ=n ń=n ň=n ņ=n Ñ=N Ń=N Ň=N ò=o ó=o ô=o õ=o ö=o ø=o ō=o ő=o Ò=O Ó=O Ô=O Õ=O Ö=O Ø=O Ō=O Ő=O ŕ=r ř=r Ř=R
	ś=s š=s ş=s ș=s Ś=S Š=S Ş=S Ș=S ť=t ţ=t ț=t Ť=T Ţ=T Ț=T ù=u ú=u û=u ü=u ū=u ů=u ű=u ų=u Ù=U Ú=U Û=U Ü=U Ū=U Ů=U Ű=U Ų=U
	ý=y ÿ=y Ý=Y ź=z ž=z ż=z Ź=Z Ž=Z Ż=Z ß=ss æ=ae Æ=Ae œ=oe Œ=Oe þ=th Þ=Th ’=' ‘=' ‑=- ‐=-
	⁰=0 ¹=1 ²=2 ³=3 ⁴=4 ⁵=5 ⁶=6 ⁷=7 ⁸=8 ⁹=9 ⁺=+ ⁻=- ₀=0 ₁=1 ₂=2 ₃=3 ₄=4 ₅=5 ₆=6 ₇=7 ₈=8 ₉=9
	α=alpha β=beta γ=gamma δ=delta ε=epsilon κ=kappa λ=lambda μ=mu µ=mu π=pi σ=sigma τ=tau ω=omega Δ=Delta Σ=Sigma Ω=Omega
	` + combiningMarks)

// combiningMarks are the marks that stand behind their letter.
const combiningMarks = "\u0300= \u0301= \u0302= \u0303= \u0304= \u0306= \u0307= \u0308= \u030a= \u030b= \u030c= \u0327= \u0328="

// britishSpellings are British spellings, wherever they stand in a word.
var britishSpellings = replacer(`colour=color behaviour=behavior neighbour=neighbor favour=favor flavour=flavor honour=honor labour=labor
	harbour=harbor humour=humor rumour=rumor vapour=vapor tumour=tumor vigour=vigor odour=odor armour=armor endeavour=endeavor
	splendour=splendor rigour=rigor fervour=fervor valour=valor saviour=savior
	centre=center metre=meter litre=liter theatre=theater fibre=fiber calibre=caliber lustre=luster spectre=specter
	catalogue=catalog dialogue=dialog analogue=analog monologue=monolog analyse=analyze catalyse=catalyze paralyse=paralyze
	cancell=cancel labell=label travell=travel modell=model signall=signal fuell=fuel channell=channel levell=level
	tunnell=tunnel counsell=counsel marvell=marvel jewellery=jewelry
	anaem=anem leukaem=leukem ischaem=ischem haem=hem faec=fec anaesth=anesth aesthet=esthet paediatr=pediatr orthopaed=orthoped
	encyclopaed=encycloped gynaec=gynec archaeo=archeo mediaeval=medieval caesarean=cesarean oestr=estr oesoph=esoph oedema=edema
	foet=fet diarrhoea=diarrhea coeliac=celiac homoeo=homeo manoeuvre=maneuver sulph=sulf aluminium=aluminum grey=gray
	licence=license defence=defense offence=offense pretence=pretense plough=plow mould=mold aeroplane=airplane artefact=artifact
	sceptic=skeptic ageing=aging judgement=judgment acknowledgement=acknowledgment enrolment=enrollment
	instalment=installment fulfilment=fulfillment tranquillity=tranquility moustache=mustache pyjama=pajama`)
