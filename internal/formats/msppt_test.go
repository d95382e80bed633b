package formats

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

// recordOf returns a record of a presentation.
func recordOf(kind, instance int, list bool, parts ...any) string {
	content := le(parts...)
	version := uint16(instance << 4)
	if list {
		version |= pptContainer
	}
	return le(version, uint16(kind), uint32(len(content))) + content
}

// showOld returns a presentation of PowerPoint 97: list is the list of its slides, and
// containers are what it refers to by 1, 2, ….
func showOld(list, notes string, containers ...string) string {
	document := recordOf(pptDocument, 0, true, recordOf(pptSlideList, pptSlides, true, list), recordOf(pptSlideList, pptListNotes, true, notes))
	stream, places := document, le(uint32(1|len(containers)<<20))
	for _, c := range containers {
		places += le(uint32(len(stream)))
		stream += c
	}
	return compound(map[string]string{"PowerPoint Document": stream + recordOf(pptDirectory, 0, false, places), "Current User": strings.Repeat("\x00", 20)})
}

func TestPPT(t *testing.T) {
	persist := func(number, id uint32) string {
		return recordOf(pptPersist, 0, false, number, uint32(0), uint32(0), id, uint32(0))
	}
	kind := func(n uint32) string { return recordOf(pptTextHeader, 0, false, n) }
	chars := func(s string) string { return recordOf(pptChars, 0, false, units(s)) }
	bytes := func(s string) string { return recordOf(pptBytes, 0, false, s) }
	d, err := read(t, showOld(
		persist(2, 256)+kind(0)+chars("Лёд")+kind(1)+bytes("Cold.\rIt\x0bmoves.")+persist(1, 257)+kind(0)+bytes("Snow"), persist(3, 1),
		recordOf(pptSlide, 0, true, recordOf(pptComment, 0, true, recordOf(pptCString, 0, false, units("Anna")), recordOf(pptCString, 1, false, units("Really?")))),
		recordOf(pptSlide, 0, true, recordOf(61453, 0, true, kind(4)+bytes("In a box"))),
		recordOf(pptNotes, 0, true, recordOf(1009, 0, false, uint32(256)), kind(2)+bytes("Say it.")),
	))
	want := "## Slide 1: Лёд\n\nCold.\n\nIt moves.\n\nIn a box\n\nNotes: Say it.\n\n## Slide 2: Snow\n\nComment (Anna): Really?\n\n"
	if err != nil || d.Text != want || d.Markup != corpus.ContentMarkdown {
		t.Errorf("got %q and %v, want %q", d.Text, err, want)
	}
	refused(t, compound(map[string]string{"PowerPoint Document": "x", "Current User": le(strings.Repeat("\x00", 12), uint32(0xF3D1C4DF))}), "encrypted: remove its password")
	refused(t, compound(map[string]string{"PowerPoint Document": "x"}), "save it as .pptx")
	refused(t, showOld("", ""), "No slides with text")
}

// TestPPTFooter has a footer of all slides and one of a slide, and what is not shown.
func TestPPTFooter(t *testing.T) {
	margins := func(instance int, shown uint16, header, footer string) string {
		return recordOf(pptMargins, instance, true, recordOf(pptMarginAtom, 0, false, uint16(0), shown),
			recordOf(pptCString, 0, false, units("7 May")), recordOf(pptCString, 1, false, units(header)), recordOf(pptCString, 2, false, units(footer)))
	}
	chars := func(s string) string {
		return recordOf(pptTextHeader, 0, false, uint32(1)) + recordOf(pptChars, 0, false, units(s))
	}
	d, err := read(t, showOld(
		recordOf(pptPersist, 0, false, uint32(1), uint32(0), uint32(0), uint32(256), uint32(0))+chars("It melts.")+
			recordOf(pptPersist, 0, false, uint32(2), uint32(0), uint32(0), uint32(257), uint32(0))+chars("It flows.")+
			margins(3, 0x28, "Unseen", "Institute of Ice & Snow")+margins(4, 0x10, "Notes on ice", "Unseen too"), "",
		recordOf(pptSlide, 0, true, margins(0, 0x20, "", "Institute of Ice & Snow")), recordOf(pptSlide, 0, true, margins(0, 0x20, "", "Draft"))))
	const want = "## Slide 1\n\nIt melts.\n\n## Slide 2\n\nIt flows.\n\nInstitute of Ice & Snow\n\nNotes on ice\n\nDraft"
	if err != nil || d.Text != want || d.Places[len(d.Places)-1].Section != corpus.SectionNotice {
		t.Errorf("got %q (%v) and %v, want %q", d.Text, d.Places, err, want)
	}
}

func FuzzPPT(f *testing.F) {
	f.Add([]byte(recordOf(pptPersist, 0, false, uint32(1), uint32(0), uint32(0), uint32(256))), []byte(recordOf(pptSlide, 0, true, recordOf(pptBytes, 0, false, "ice"))))
	f.Fuzz(func(t *testing.T, list, slide []byte) {
		fuzzed(t, showOld(string(list), string(list), string(slide)), corpus.ContentPPT)
		fuzzed(t, compound(map[string]string{"PowerPoint Document": string(slide)}), corpus.ContentPPT)
	})
}
