package formats

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

// property returns the name of the stream of a property.
func property(folder string, property, kind int) string {
	return fmt.Sprintf("%s__substg1.0_%04X%04X", folder, property, kind)
}

// outlook returns a message of Outlook with these streams besides its usual ones.
func outlook(streams map[string]string) string {
	all := map[string]string{
		mapiProperties: strings.Repeat("\x00", 32) + le(uint16(mapiTime), uint16(mapiSubmitted), uint32(0), uint64((1769860800+11644473600)*10_000_000)) +
			le(uint16(mapiLong), uint16(mapiPage), uint32(0), uint32(1251), uint32(0)),
		property("", mapiSubject, mapiWide): units("Лёд"), property("", mapiSender, mapiText): "\xc0\xed\xed\xe0", property("", mapiTo, mapiWide): units("Jo Kay"),
	}
	maps.Copy(all, streams)
	return compound(all)
}

func TestMSG(t *testing.T) {
	const head = "# Лёд\n\nFrom: Анна\n\nTo: Jo Kay\n\nDate: Sat, 31 Jan 2026 12:00:00 +0000\n\n"
	inner := fmt.Sprintf("__attach_version1.0_#00000001/__substg1.0_%04X%04X/", mapiContent, mapiObject)
	d, err := read(t, outlook(map[string]string{
		property("", mapiBody, mapiWide):                  units("It melts.\r\n"),
		"__attach_version1.0_#00000000/" + mapiProperties: "", property("__attach_version1.0_#00000000/", mapiFile, mapiWide): units("a.txt"), property("__attach_version1.0_#00000000/", mapiContent, mapiBytes): strings.Repeat("Snow falls here.\n", 300),
		"__attach_version1.0_#00000001/" + mapiProperties: "", inner + mapiProperties: "", property(inner, mapiSubject, mapiWide): units("Inner"), property(inner, mapiBody, mapiWide): units("Fog."),
		"__attach_version1.0_#00000002/" + mapiProperties: "", property("__attach_version1.0_#00000002/", mapiFile, mapiWide): units("b.lnk"),
		property("__attach_version1.0_#00000003/", mapiFile, mapiWide): units("c.zip"), property("__attach_version1.0_#00000003/", mapiContent, mapiBytes): "PK\x03\x04\x14\x00\x00\x00\x08\x00" + strings.Repeat("\x00\xff", 3000), "__attach_version1.0_#00000003/" + mapiProperties: "",
	}))
	text := strings.ReplaceAll(d.Text, "\x00", "")
	for _, want := range []string{head + "It melts.", "## Attachment: a.txt\n\nSnow falls here.", "# Inner\n\nFog."} {
		if !strings.Contains(text, want) {
			t.Errorf("got %q and %v, want %q in it", text, err, want)
		}
	}
	if says := strings.Join(d.Warnings, "; "); !strings.Contains(says, `"b.lnk" is not read: it is no file`) || !strings.Contains(says, `"c.zip"`) {
		t.Errorf("warned %q", says)
	}
	if d, err := read(t, outlook(map[string]string{property("", mapiHTML, mapiBytes): "<html><p>It <b>melts</b>.</p></html>" + strings.Repeat(" ", 5000)})); err != nil || d.Text != head+"It melts." {
		t.Errorf("HTML: got %q and %v", d.Text, err)
	}
	if d, err := read(t, outlook(map[string]string{property("", mapiRTF, mapiBytes): packed(`{\rtf1\ansi\fromhtml1 {\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 It melts.\htmlrtf }\htmlrtf0}`)})); err != nil || d.Text != head+"It melts." {
		t.Errorf("rich text: got %q and %v", d.Text, err)
	}
}

// packed returns rich text as messages pack it, with nothing left out.
func packed(rich string) string {
	var b strings.Builder
	for len(rich) > 0 {
		n := min(8, len(rich))
		b.WriteString("\x00" + rich[:n])
		rich = rich[n:]
	}
	return le(uint32(b.Len()+12), uint32(1<<20), uint32(0x75465A4C), uint32(0)) + b.String() + "\x01\x00\x00"
}

// TestUnpackRTF refers to what is there already.
func TestUnpackRTF(t *testing.T) {
	got, err := unpackRTF([]byte(le(uint32(0), uint32(9), uint32(0x75465A4C), uint32(0), byte(2|4), "a", byte(len(rtfDictionary)>>4), byte(len(rtfDictionary)&15<<4|1), byte(0), byte(4))))
	if err != nil || string(got) != "aaaa{\\rtf1"[:10] {
		t.Errorf("got %q and %v", got, err)
	}
	for _, broken := range []string{"", le(uint32(0), uint32(9), uint32(7), uint32(0))} {
		if _, err := unpackRTF([]byte(broken)); err == nil {
			t.Errorf("%q is read", broken)
		}
	}
}

func FuzzMSG(f *testing.F) {
	f.Add([]byte(packed(`{\rtf1 ice}`)), "ice")
	f.Fuzz(func(t *testing.T, rich []byte, body string) {
		fuzzed(t, outlook(map[string]string{property("", mapiRTF, mapiBytes): string(rich)}), corpus.ContentMSG)
		fuzzed(t, outlook(map[string]string{property("", mapiBody, mapiText): body, mapiProperties: string(rich)}), corpus.ContentMSG)
	})
}
