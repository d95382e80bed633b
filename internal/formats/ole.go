package formats

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/richardlehane/mscfb"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

// oleSignature is what the files of older programs of Office begin with: a container of streams.
const oleSignature = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"

const (
	// maxOLEEntries is how many streams and folders a container has, and maxOLEFolders how
	// many folders, which may be within each other.
	maxOLEEntries = 100_000
	maxOLEFolders = 4096
)

// oleEntry is a stream or a folder of a container, with the numbers of those beside and in it.
type oleEntry struct {
	name               string
	folder             bool
	left, right, child uint32
}

// oleDirectory reads the directory of a container.
func oleDirectory(body []byte) ([]oleEntry, error) {
	const header, names, sector, entry = 512, 128, 9, 128
	if len(body) < header || !bytes.HasPrefix(body, []byte(oleSignature)) {
		return nil, malformed("The document is broken: its container is cut short.")
	}
	t := oleTable{body: body, size: 1 << min(max(binary.LittleEndian.Uint16(body[30:]), sector), 12)}
	var entries []oleEntry
	folders := 0
	at := binary.LittleEndian.Uint32(body[48:])
	for n := 0; n <= len(body)/t.size; n++ {
		block := t.sector(at)
		if block == nil {
			break
		}
		for ; len(block) >= entry; block = block[entry:] {
			e := oleEntry{
				name: oleName(block), folder: block[66] == 1,
				left: binary.LittleEndian.Uint32(block[68:]), right: binary.LittleEndian.Uint32(block[72:]), child: binary.LittleEndian.Uint32(block[76:]),
			}
			if e.folder {
				folders++
			}
			entries = append(entries, e)
		}
		if len(entries) > maxOLEEntries || folders > maxOLEFolders {
			return nil, malformed("The document is a container of more than %d files or %d folders, which is not read.", maxOLEEntries, maxOLEFolders)
		}
		at = t.next(at)
	}
	if len(entries) == 0 {
		return nil, malformed("The document is broken: its container has no directory.")
	}
	return entries, nil
}

// oleTable finds the sectors of a container.
type oleTable struct {
	body []byte
	size int // of a sector
}

// sector returns a sector, or nil when there is none.
func (t oleTable) sector(n uint32) []byte {
	from := (int(n) + 1) * t.size
	if from >= len(t.body) {
		return nil
	}
	return t.body[from:min(from+t.size, len(t.body))]
}

// next returns the sector after another one.
func (t oleTable) next(n uint32) uint32 {
	const none, listed, first = 0xFFFFFFFF, 109, 76
	numbers := uint32(t.size / 4)
	table := n / numbers
	var at []byte
	if table < listed {
		at = t.body[first+4*table:]
	} else {
		table -= listed
		more := binary.LittleEndian.Uint32(t.body[68:])
		for ; table >= numbers-1; table -= numbers - 1 {
			block := t.sector(more)
			if len(block) < t.size {
				return none
			}
			more = binary.LittleEndian.Uint32(block[t.size-4:])
		}
		block := t.sector(more)
		if len(block) < t.size {
			return none
		}
		at = block[4*table:]
	}
	block := t.sector(binary.LittleEndian.Uint32(at))
	if offset := int(n % numbers * 4); len(block) >= offset+4 {
		return binary.LittleEndian.Uint32(block[offset:])
	}
	return none
}

// oleName returns the name of an entry.
func oleName(entry []byte) string {
	const longest = 64
	n := min(int(binary.LittleEndian.Uint16(entry[longest:])), longest)/2 - 1
	units := make([]uint16, max(n, 0))
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(entry[2*i:])
	}
	return string(utf16.Decode(units))
}

// oleRoot returns the names of what is in a container, and in none of its folders.
func oleRoot(entries []oleEntry) []string {
	var names []string
	seen := make([]bool, len(entries))
	for next := []uint32{entries[0].child}; len(next) > 0; {
		n := next[len(next)-1]
		next = next[:len(next)-1]
		if int(n) >= len(entries) || seen[n] {
			continue
		}
		seen[n] = true
		names = append(names, entries[n].name)
		next = append(next, entries[n].left, entries[n].right)
	}
	return names
}

// oleFormats are the formats of containers, by a stream that they have.
var oleFormats = []struct {
	stream string
	is     corpus.ContentType
}{
	{"__properties_version1.0", corpus.ContentMSG},
	{"WordDocument", corpus.ContentDOC},
	{"PowerPoint Document", corpus.ContentPPT},
	{"Workbook", corpus.ContentXLS},
	{"Book", corpus.ContentXLS},
}

// oleFormat decides what format a container has, or refuses it.
func oleFormat(body []byte) (corpus.ContentType, error) {
	entries, err := oleDirectory(body)
	if err != nil {
		return "", err
	}
	names := oleRoot(entries)
	for _, f := range oleFormats {
		for _, name := range names {
			if strings.EqualFold(name, f.stream) {
				return f.is, nil
			}
		}
	}
	if slices.Contains(names, "EncryptedPackage") {
		return "", malformed("The document is encrypted: remove its password first, in the program that made it (File > Info > Protect).")
	}
	const shown = 3
	return "", kappa.NewError(kappa.CodeUnsupported, fmt.Sprintf("The document is of an older program of Windows that is not read: it has %q. Open it in its program, and save it in a newer format.", names[:min(len(names), shown)]))
}

// ole is a container that is being read.
type ole struct {
	streams map[string]*mscfb.File // by folders and names, with slashes
	size    int                    // of the container
	broken  bool                   // a stream was cut short
}

// openOLE opens a container.
func openOLE(body []byte) (*ole, error) {
	if _, err := oleDirectory(body); err != nil {
		return nil, err
	}
	r, err := mscfb.New(bytes.NewReader(body))
	if err != nil {
		return nil, malformed("The document is broken: its container cannot be read: %v.", err)
	}
	o := &ole{streams: map[string]*mscfb.File{}, size: len(body)}
	for _, f := range r.File {
		name := strings.Join(append(slices.Clip(f.Path), f.Name), "/")
		if o.streams[name] == nil && !f.FileInfo().IsDir() {
			o.streams[name] = f
		}
	}
	return o, nil
}

// stream returns the bytes of a stream, as far as they can be read; nil is none. It is read
// once.
func (o *ole) stream(name string) []byte {
	f := o.streams[name]
	if f == nil {
		return nil
	}
	delete(o.streams, name)
	const block = 32 << 10 // of a longer one the library takes long
	text := make([]byte, 0, min(f.Size, int64(o.size)))
	for {
		if len(text)+block > cap(text) {
			text = append(make([]byte, 0, 2*cap(text)+block), text...)
		}
		n, err := f.Read(text[len(text) : len(text)+block])
		text = text[:len(text)+max(n, 0)]
		if err != nil || len(text) > o.size {
			o.broken = o.broken || err != nil && !errors.Is(err, io.EOF)
			return text
		}
	}
}

// cutShort warns of a container of which something is missing.
func (o *ole) cutShort() []string {
	if !o.broken {
		return nil
	}
	return []string{"The document is cut short: what is missing is not read"}
}
