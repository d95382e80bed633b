package english

import (
	"slices"
	"strings"
)

// demonymWords are what people and things of a country are called, with its name. The
// languages that have the same name are told by what stands beside the word.
const demonymWords = `
Afghan=Afghanistan Albanian=Albania Algerian=Algeria American=United_States Angolan=Angola Argentine=Argentina Argentinian=Argentina Armenian=Armenia
Australian=Australia Austrian=Austria Azerbaijani=Azerbaijan Bahamian=Bahamas Bahraini=Bahrain Bangladeshi=Bangladesh Barbadian=Barbados Belarusian=Belarus
Belgian=Belgium Beninese=Benin Bhutanese=Bhutan Bolivian=Bolivia Bosnian=Bosnia_and_Herzegovina Brazilian=Brazil British=United_Kingdom Bulgarian=Bulgaria
Burmese=Myanmar Burundian=Burundi Cambodian=Cambodia Cameroonian=Cameroon Canadian=Canada Chadian=Chad Chilean=Chile Chinese=China Colombian=Colombia
Congolese=Congo Croatian=Croatia Cuban=Cuba Cypriot=Cyprus Czech=Czech_Republic Danish=Denmark Dutch=Netherlands Ecuadorian=Ecuador Egyptian=Egypt
Emirati=United_Arab_Emirates English=England Eritrean=Eritrea Estonian=Estonia Ethiopian=Ethiopia Fijian=Fiji Filipino=Philippines Finnish=Finland
French=France Gabonese=Gabon Gambian=Gambia Georgian=Georgia German=Germany Ghanaian=Ghana Greek=Greece Guatemalan=Guatemala Guinean=Guinea Guyanese=Guyana
Haitian=Haiti Honduran=Honduras Hungarian=Hungary Icelandic=Iceland Indian=India Indonesian=Indonesia Iranian=Iran Iraqi=Iraq Irish=Ireland Israeli=Israel
Italian=Italy Ivorian=Ivory_Coast Jamaican=Jamaica Japanese=Japan Jordanian=Jordan Kazakh=Kazakhstan Kenyan=Kenya Kuwaiti=Kuwait Kyrgyz=Kyrgyzstan
Laotian=Laos Latvian=Latvia Lebanese=Lebanon Liberian=Liberia Libyan=Libya Lithuanian=Lithuania Luxembourgish=Luxembourg Macedonian=Macedonia
Malagasy=Madagascar Malawian=Malawi Malaysian=Malaysia Malian=Mali Maltese=Malta Mauritanian=Mauritania Mauritian=Mauritius Mexican=Mexico
Moldovan=Moldova Mongolian=Mongolia Montenegrin=Montenegro Moroccan=Morocco Mozambican=Mozambique Namibian=Namibia Nepalese=Nepal Nepali=Nepal
Nicaraguan=Nicaragua Nigerian=Nigeria Nigerien=Niger Norwegian=Norway Omani=Oman Pakistani=Pakistan Palestinian=Palestine Panamanian=Panama
Paraguayan=Paraguay Peruvian=Peru Philippine=Philippines Polish=Poland Portuguese=Portugal Qatari=Qatar Romanian=Romania Russian=Russia Rwandan=Rwanda
Salvadoran=El_Salvador Samoan=Samoa Saudi=Saudi_Arabia Scottish=Scotland Senegalese=Senegal Serbian=Serbia Singaporean=Singapore Slovak=Slovakia
Slovene=Slovenia Slovenian=Slovenia Somali=Somalia Spanish=Spain Sudanese=Sudan Surinamese=Suriname Swedish=Sweden Swiss=Switzerland Syrian=Syria
Taiwanese=Taiwan Tajik=Tajikistan Tanzanian=Tanzania Thai=Thailand Togolese=Togo Tunisian=Tunisia Turkish=Turkey Turkmen=Turkmenistan Ugandan=Uganda
Ukrainian=Ukraine Uruguayan=Uruguay Uzbek=Uzbekistan Venezuelan=Venezuela Vietnamese=Vietnam Welsh=Wales Yemeni=Yemen Zambian=Zambia Zimbabwean=Zimbabwe`

// newDemonyms returns the countries by what is of them.
func newDemonyms() map[string][]string {
	out := map[string][]string{}
	for pair := range strings.FieldsSeq(demonymWords) {
		of, country, _ := strings.Cut(pair, "=")
		out[of] = strings.Split(country, "_")
	}
	return out
}

// demonyms counts "Canadian" before what it describes as a mention of Canada. It makes a concept
// only of what is related to it: a Greek salad does not bring in Greece.
func (r *reading) demonyms(i int) {
	s := &r.sentences[i]
	for j, t := range s.tokens {
		country := r.extractor.words.demonyms[t.text]
		if country == nil || j+1 == len(s.tokens) || s.kind == blockHeading {
			continue
		}
		next := s.tokens[j+1]
		describes := next.tag.isNoun() || next.tag == posAdjective
		if !describes || next.low == "language" || next.low == "word" {
			continue
		}
		r.found.addPlace(country, t.text, mention{sentence: i, first: j, last: j + 1})
	}
}

// addPlace adds a mention of a place by a word that is of it.
func (c *candidates) addPlace(name []string, by string, m mention) {
	stems := make([]string, len(name))
	for i, w := range name {
		stems[i] = c.stem(lower(w))
	}
	key := strings.Join(stems, " ")
	cand := c.byKey[key]
	if cand == nil {
		cand = &candidate{key: key, stems: stems, name: true, idf: c.words.idf(lower(name[0]))}
		c.byKey[key] = cand
		c.list = append(c.list, cand)
	}
	if len(cand.forms) == 0 {
		cand.addForm(strings.Join(name, " "), true)
	}
	if !slices.Contains(cand.aliases, by) {
		cand.aliases = append(cand.aliases, by)
	}
	cand.mentions = append(cand.mentions, m)
	cand.described++
}
