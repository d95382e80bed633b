package main

import (
	"math/rand/v2"
	"strings"

	"github.com/kappagraph/kappa/knowledge"
)

// The words of labels, as texts about engineering, science and organisations have them.
var (
	qualities = strings.Fields(`adaptive aerobic ambient annual artificial autonomous axial binary cellular central chemical chronic
		coastal cognitive collective compact composite continuous critical cultural deep digital direct distributed dynamic elastic
		electric electronic embedded external federal financial flexible fossil frozen genetic geothermal global green hybrid
		hydraulic industrial infrared inland internal kinetic lateral liquid local magnetic marine mechanical medical medieval
		metallic minimal mobile modern molecular mutual natural neural neutral northern nuclear offshore open optical organic
		parallel passive periodic physical polar portable prime private public quantum radial random rapid reactive regional
		remote renewable robust rural secure seismic semantic serial shallow single social solar solid southern spatial spectral
		stable static statistical structural synthetic tactical thermal tidal toxic transient tropical urban vertical virtual visual volatile`)
	things = strings.Fields(`access acid agent air alarm algae alloy antenna archive area asset atom audit axis bacteria balance band
		barrier battery beam bearing blade blood board boiler bond border bridge budget buffer cable cache canal capital carbon
		cargo cell chain channel charge circuit claim climate clock cloud coal coast code coil colony compiler concrete contract
		copper core credit crop crystal current data debt delta demand desert device diesel disk document drug dust dye earth
		economy electron energy engine enzyme error event export fabric factory failure farm fault fiber field filter fire fish
		flow fluid foam food force forest frame fuel function fungus furnace gas gear gene glacier glass grain graph grid
		harbour hardware harvest health heat helium highway hormone hull hydrogen ice image index insect insulin interest iron
		island job kernel lake lane laser layer leaf ledger lens license light lime link load lock machine magnet market mass
		matrix memory mercury mesh message metal microbe mineral mirror module molecule mortgage motor muscle nerve network
		nitrogen node noise nozzle nutrient ocean oil orbit ore oxygen packet paper particle patent path peat pension phase
		phosphate pipe piston plant plasma plate platform pollen polymer port power prairie prism process program protein proton
		protocol pump queue radar rail rain record reef region relay resin ridge risk river robot rock rotor route rubber safety
		salt sand satellite sediment seed sensor server shaft shelf ship signal silicon skin slope soil sound source species
		spring star steam steel stone storage storm stream street sugar sulphur supply surface switch tariff tax tide timber
		tissue token tower town track trade traffic transistor tree trench tunnel turbine valley valve vapour vehicle vein vessel
		village virus voltage wafer wage waste water wave weather wheat wheel wind window wire wood wool worker yeast yield zinc`)
	heads = strings.Fields(`analysis assembly assessment barrier behaviour board capacity catalogue center chamber change collector
		committee compression configuration conservation control conversion corridor coverage cycle damage decay deficit degradation
		density deposit depth design detection detector development diffusion distribution efficiency emission erosion estimate
		exchange expansion exposure extraction failure forecast formation frequency generator growth index infection inspection
		installation intensity interface inventory law layer level limit loss maintenance management measurement mechanism method
		migration model monitor office operator optimization output party pattern planning policy pressure production profile
		purification quality range rate ratio reaction recovery reduction reform registry regulation regulator repair research
		reserve resistance response restoration scheduler sector selection simulation spectrum stability standard strategy strength
		structure study survey system technology temperature theory threshold transfer transmission transport treatment unit
		utilization variation velocity volume`)
)

// labels makes names of concepts from a fixed seed: of one word to four, each once.
type labels struct {
	random *rand.Rand
	seen   map[string]bool
}

func newLabels(seed uint64) *labels {
	return &labels{random: rand.New(rand.NewPCG(seed, 14)), seen: map[string]bool{}}
}

// next returns a name that was not there before.
func (l *labels) next() string {
	for {
		if name := l.draw(); !l.seen[name] {
			l.seen[name] = true
			return name
		}
	}
}

// draw returns a name; most have two words or three, and common words come more often
// than rare ones.
func (l *labels) draw() string {
	switch n := l.random.IntN(20); {
	case n < 1:
		return l.word(things)
	case n < 7:
		return l.word(things) + " " + l.word(heads)
	case n < 11:
		return l.word(qualities) + " " + l.word(things)
	case n < 18:
		return l.word(qualities) + " " + l.word(things) + " " + l.word(heads)
	default:
		return l.word(qualities) + " " + l.word(things) + " " + l.word(things) + " " + l.word(heads)
	}
}

func (l *labels) word(list []string) string {
	x := l.random.Float64()
	return list[int(x*(0.4+0.6*x)*float64(len(list)))]
}

// concept returns a concept of that name; some have a description and other names.
func (l *labels) concept() knowledge.ExtractedConcept {
	c := knowledge.ExtractedConcept{Label: l.next()}
	if l.random.IntN(3) == 0 {
		c.Description = "A " + l.draw() + " that depends on the " + l.draw() + " and the " + l.draw() + "."
	}
	for range l.random.IntN(3) {
		c.SearchTerms = append(c.SearchTerms, l.draw())
	}
	return c
}

// query returns what somebody may search for: a name, known or not, in another
// spelling, or a question of several names.
func (l *labels) query() string {
	switch l.random.IntN(10) {
	case 0, 1, 2, 3:
		return l.draw()
	case 4, 5:
		return l.draw() + "s"
	case 6, 7:
		name := l.draw()
		at := 1 + l.random.IntN(len(name)-2)
		return name[:at] + name[at+1:]
	case 8:
		return "how does the " + l.draw() + " affect " + l.draw() + "?"
	default:
		return l.draw() + " in " + l.draw()
	}
}
