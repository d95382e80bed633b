package english

import (
	"strings"
)

// surface writes a name as a label: common nouns in lower case and in the
// singular, names and identifiers as they stand.
func surface(name []token) string {
	var b strings.Builder
	for i, t := range name {
		if i > 0 && t.spaced && t.tag != posGenitive {
			b.WriteByte(' ')
		}
		text := straight(t.text)
		if t.tag != posName && t.tag != posCode && !t.own && !isAcronym(text) && isCapital(text) {
			text = lower(text)
		}
		if i == len(name)-1 && t.tag == posNouns {
			text = singularForm(text)
		} else if i == len(name)-1 && isAcronym(text) && len(text) > 2 {
			text = strings.TrimSuffix(text, "s")
		}
		b.WriteString(text)
	}
	return b.String()
}

// straight returns a word with a straight apostrophe.
func straight(text string) string { return strings.ReplaceAll(text, "’", "'") }

// singularForm returns the singular of a noun that keeps its case.
func singularForm(text string) string {
	low := lower(text)
	if strings.Contains(pluralOnly, " "+low+" ") || singularNouns[low] || singularNames[low] {
		return text
	}
	if one, ok := strings.CutPrefix(irregularPlural(low), "="); ok {
		return one
	}
	if s := singular(low); strings.HasPrefix(low, s) {
		return text[:len(s)]
	} else if len(s) < len(text) && low == text {
		return s
	}
	return text
}

// pluralOnly lists nouns that are used in the plural.
const pluralOnly = " goods clothes savings earnings arms customs headquarters species series statistics mathematics physics premises proceedings remains surroundings thanks troops means news outskirts scissors trousers tropics alps "

// singularNouns end in -s and are no plurals.
var singularNouns = wordSet(`
diabetes rabies measles herpes mumps scabies rickets caries shingles hives news mathematics physics economics politics ethics linguistics athletics
gymnastics electronics mechanics dynamics genetics robotics acoustics optics logistics semantics aesthetics thermodynamics aerodynamics
atlas bias canvas gas alias pancreas asbestos chaos cosmos ethos pathos rhinoceros lens
christmas`)

// singularNames are names in -s that look like plurals of words.
var singularNames = wordSet(`
kubernetes postgres mercedes siemens jenkins redis keras axios travis athens brussels naples paris thames texas kansas arkansas wales
achilles hercules socrates archimedes hermes ramses charles james dickens keynes jones williams hughes stokes sachs holmes hobbes descartes
amazonas andes alps himalayas netherlands philippines bahamas honduras cyprus mars venus uranus lucas thomas marcus julius tacitus augustus`)

// achesPlural reports the plural of a noun in -ache: headaches, caches.
func achesPlural(low string) bool {
	for _, stem := range [...]string{"headaches", "toothaches", "backaches", "earaches", "heartaches", "stomachaches", "caches", "moustaches", "mustaches", "bellyaches"} {
		if low == stem {
			return true
		}
	}
	return false
}

// irregularPlural returns "=" and the singular of an irregular plural, or "".
func irregularPlural(low string) string {
	i := strings.Index(irregularPlurals, " "+low+"=")
	if i < 0 {
		return ""
	}
	rest := irregularPlurals[i+1+len(low):]
	return rest[:strings.IndexByte(rest, ' ')]
}

const irregularPlurals = " mice=mouse men=man women=woman children=child feet=foot teeth=tooth geese=goose criteria=criterion phenomena=phenomenon analyses=analysis hypotheses=hypothesis theses=thesis crises=crisis axes=axis indices=index vertices=vertex matrices=matrix leaves=leaf wolves=wolf knives=knife lives=life halves=half shelves=shelf loaves=loaf thieves=thief people=people larvae=larva genera=genus phyla=phylum bacteria=bacterium strata=stratum spectra=spectrum vertebrae=vertebra antennae=antenna formulae=formula nebulae=nebula supernovae=supernova syllabi=syllabus loci=locus foci=focus oxen=ox dice=die calves=calf scarves=scarf hooves=hoof elves=elf wives=wife algae=alga nuclei=nucleus fungi=fungus cacti=cactus stimuli=stimulus radii=radius alumni=alumnus viruses=virus buses=bus lenses=lens gases=gas processes=process indexes=index biases=bias statuses=status campuses=campus caches=cache axles=axle horses=horse houses=house nurses=nurse courses=course causes=cause clauses=clause phases=phase bases=base databases=database diseases=disease enzymes=enzyme releases=release leases=lease purposes=purpose responses=response expenses=expense licenses=license licences=licence "
