package formats

import (
	"encoding/binary"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/kappagraph/kappa/corpus"
)

// compound returns a container of older Office with these streams, by their paths.
func compound(streams map[string]string) string {
	const sector, small, free, end, fat, none = 512, 4096, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
	names := []string{""} // of the entries; the first is the root
	for _, name := range slices.Sorted(maps.Keys(streams)) {
		for folder := path.Dir(name); folder != "." && !slices.Contains(names, folder); folder = path.Dir(folder) {
			names = append(names, folder)
		}
		names = append(names, name)
	}
	var body, table, directory []byte
	chain := func(b []byte) uint32 { // adds the sectors of a stream, and returns the first
		first := uint32(len(table) / 4)
		n := (len(b) + sector - 1) / sector
		for i := range n {
			next := first + uint32(i) + 1
			if i == n-1 {
				next = end
			}
			table = binary.LittleEndian.AppendUint32(table, next)
		}
		body = append(body, b...)
		body = append(body, make([]byte, n*sector-len(b))...)
		return first
	}
	children := map[string][]uint32{}
	for i, name := range names[1:] {
		folder := strings.TrimPrefix(path.Dir(name), ".")
		children[folder] = append(children[folder], uint32(i)+1)
	}
	next := map[uint32]uint32{}
	for _, list := range children {
		for i := range list[1:] {
			next[list[i]] = list[i+1]
		}
	}
	for i, name := range names {
		entry := make([]byte, 128)
		title := path.Base(name)
		if i == 0 {
			title = "Root Entry"
		}
		units := utf16.Encode([]rune(title))
		for j, u := range units {
			binary.LittleEndian.PutUint16(entry[2*j:], u)
		}
		binary.LittleEndian.PutUint16(entry[64:], uint16(2*len(units)+2))
		entry[66] = 1
		first, size := uint32(end), 0
		if text, ok := streams[name]; ok && i > 0 {
			entry[66] = 2
			if text != "" { // an empty one has no sectors
				text += strings.Repeat("\x00", max(0, small-len(text)))
				first, size = chain([]byte(text)), len(text)
			}
		}
		if i == 0 {
			entry[66] = 5
		}
		binary.LittleEndian.PutUint32(entry[68:], none)
		binary.LittleEndian.PutUint32(entry[72:], none)
		binary.LittleEndian.PutUint32(entry[76:], none)
		if n, ok := next[uint32(i)]; ok {
			binary.LittleEndian.PutUint32(entry[72:], n)
		}
		if list := children[name]; len(list) > 0 {
			binary.LittleEndian.PutUint32(entry[76:], list[0])
		}
		binary.LittleEndian.PutUint32(entry[116:], first)
		binary.LittleEndian.PutUint32(entry[120:], uint32(size))
		directory = append(directory, entry...)
	}
	for len(directory)%sector != 0 { // entries that are not used
		directory = append(directory, append(append(make([]byte, 68), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"...), make([]byte, 48)...)...)
	}
	directoryAt := chain(directory)
	used := len(table) / 4
	tables := 1
	for (used+tables)*4 > tables*sector {
		tables++
	}
	header := make([]byte, sector)
	copy(header, oleSignature)
	binary.LittleEndian.PutUint16(header[24:], 0x3E)
	binary.LittleEndian.PutUint16(header[26:], 3)
	binary.LittleEndian.PutUint16(header[28:], 0xFFFE)
	binary.LittleEndian.PutUint16(header[30:], 9)
	binary.LittleEndian.PutUint16(header[32:], 6)
	binary.LittleEndian.PutUint32(header[44:], uint32(tables))
	binary.LittleEndian.PutUint32(header[48:], directoryAt)
	binary.LittleEndian.PutUint32(header[56:], small)
	binary.LittleEndian.PutUint32(header[60:], end)
	binary.LittleEndian.PutUint32(header[68:], end)
	for i := range 109 {
		at := uint32(free)
		if i < tables {
			at = uint32(used + i)
		}
		binary.LittleEndian.PutUint32(header[76+4*i:], at)
	}
	for range tables {
		table = binary.LittleEndian.AppendUint32(table, fat)
	}
	for len(table) < tables*sector {
		table = binary.LittleEndian.AppendUint32(table, free)
	}
	return string(header) + string(body) + string(table)
}

// le writes numbers of 1, 2, 4 and 8 bytes, and texts, one after the other.
func le(parts ...any) string {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			b = append(b, p...)
		default:
			b, _ = binary.Append(b, binary.LittleEndian, p)
		}
	}
	return string(b)
}

// units returns text in UTF-16 without a mark.
func units(text string) string { return wide(text, binary.LittleEndian, "") }

func TestOLEFormats(t *testing.T) {
	for stream, want := range map[string]corpus.ContentType{
		"WordDocument": corpus.ContentDOC, "Workbook": corpus.ContentXLS, "Book": corpus.ContentXLS, "PowerPoint Document": corpus.ContentPPT, "__properties_version1.0": corpus.ContentMSG,
	} {
		body := compound(map[string]string{stream: "x", "Data": "y", "ObjectPool/_1/Workbook": "z"})
		if got, err := NewReader().Recognise([]byte(body), "a.bin", ""); got != want || err != nil {
			t.Errorf("%s: got %q and %v, want %q", stream, got, err, want)
		}
	}
	for says, body := range map[string]string{
		"encrypted":          compound(map[string]string{"EncryptedPackage": "x", "EncryptionInfo": "y"}),
		`it has ["Drawing"]`: compound(map[string]string{"Drawing": "x"}),
		"no directory":       compound(nil)[:512],
		"is cut short":       oleSignature + "x",
		"more than 10000":    compound(manyFolders(maxOLEFolders + 1)),
	} {
		if _, err := NewReader().Recognise([]byte(body), "a.doc", ""); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want what says %q", err, says)
		}
	}
	if _, err := NewReader().Text(t.Context(), []byte(compound(map[string]string{"WordDocument": "x"})[:1024]), corpus.ContentDOC); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("cut short: got %v", err)
	}
}

// manyFolders are streams, each in a folder of its own.
func manyFolders(n int) map[string]string {
	streams := map[string]string{}
	for i := range n {
		streams[strings.Repeat("a", i%20+1)+string(rune('0'+i/20))+"/b"] = ""
	}
	return streams
}
