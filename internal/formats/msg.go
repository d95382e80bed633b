package formats

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa/corpus"
)

// The properties of a message of Outlook.
const (
	mapiSubject   = 0x0037
	mapiSubmitted = 0x0039
	mapiDelivered = 0x0E06
	mapiSender    = 0x0C1A
	mapiSentFor   = 0x0042
	mapiAddress   = 0x5D01
	mapiTo        = 0x0E04
	mapiCc        = 0x0E03
	mapiBody      = 0x1000
	mapiRTF       = 0x1009
	mapiHTML      = 0x1013
	mapiPage      = 0x3FFD
	mapiPageHTML  = 0x3FDE
	mapiFile      = 0x3707
	mapiShortFile = 0x3704
	mapiShown     = 0x3001
	mapiMIME      = 0x370E
	mapiContent   = 0x3701
)

// mapiProperties is the stream of the properties of a fixed size.
const mapiProperties = "__properties_version1.0"

// The types of properties.
const (
	mapiLong   = 0x0003
	mapiTime   = 0x0040
	mapiText   = 0x001E // in a code page
	mapiWide   = 0x001F // in UTF-16
	mapiBytes  = 0x0102
	mapiObject = 0x000D
)

// readMSG makes Markdown of a message of Outlook: its subject, who wrote it to whom, its text,
// and the attachments that are documents.
func (r *Reader) readMSG(ctx context.Context, body []byte, depth int) (corpus.DocumentText, error) {
	container, err := openOLE(body)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	m := msg{container: container, attached: foldersOf(container), mail: email{reader: r, depth: depth}}
	if err := m.read(ctx, "", 0); err != nil {
		return corpus.DocumentText{}, err
	}
	return corpus.DocumentText{
		Text: strings.TrimSpace(m.mail.text.String()), Markup: corpus.ContentMarkdown,
		Warnings: append(m.mail.warnings, container.cutShort()...),
	}, nil
}

// msg is a message of Outlook that is being read.
type msg struct {
	container *ole
	attached  map[string][]string // folders of attachments, by those that they are in
	parts     int                 // attachments that were read
	mail      email
}

// properties reads those properties of a folder that have a fixed size.
func (m *msg) properties(folder string, header int) map[uint16]uint64 {
	const size = 16
	values := map[uint16]uint64{}
	list := m.container.stream(folder + mapiProperties)
	for list = list[min(header, len(list)):]; len(list) >= size; list = list[size:] {
		switch binary.LittleEndian.Uint16(list) {
		case mapiLong:
			values[binary.LittleEndian.Uint16(list[2:])] = uint64(le32(list[8:]))
		case mapiTime:
			values[binary.LittleEndian.Uint16(list[2:])] = binary.LittleEndian.Uint64(list[8:])
		}
	}
	return values
}

// bytes returns a property of a type.
func (m *msg) bytes(folder string, property, kind int) []byte {
	return m.container.stream(fmt.Sprintf("%s__substg1.0_%04X%04X", folder, property, kind))
}

// text returns a property that is text.
func (m *msg) text(folder string, page int, properties ...int) string {
	for _, p := range properties {
		if wide := m.bytes(folder, p, mapiWide); len(wide) > 0 {
			return utf16Text(wide)
		}
		if text := m.bytes(folder, p, mapiText); len(text) > 0 {
			return strings.TrimRight(decodePage(text, page), "\x00")
		}
	}
	return ""
}

// read reads the message in a folder.
func (m *msg) read(ctx context.Context, folder string, level int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	const header, inner = 32, 24
	values := m.properties(folder, map[bool]int{true: header, false: inner}[level == 0])
	page := int(values[mapiPage])
	if page == 0 {
		page = int(values[mapiPageHTML])
	}
	m.head(folder, page, values)
	if err := m.body(ctx, folder, page, int(values[mapiPageHTML])); err != nil {
		return err
	}
	return m.attachments(ctx, folder, page, level)
}

// head writes what a reader sees above the text.
func (m *msg) head(folder string, page int, values map[uint16]uint64) {
	if subject := oneLine(m.text(folder, page, mapiSubject)); subject != "" {
		m.mail.text.WriteString("# " + subject + "\n\n")
	}
	for _, line := range []struct{ name, value string }{
		{"From", m.text(folder, page, mapiSender, mapiSentFor, mapiAddress)},
		{"To", m.text(folder, page, mapiTo)},
		{"Cc", m.text(folder, page, mapiCc)},
		{"Date", fileTime(values[mapiSubmitted], values[mapiDelivered])},
	} {
		if value := oneLine(line.value); value != "" {
			m.mail.text.WriteString(line.name + ": " + value + "\n\n")
		}
	}
}

// fileTime returns the first of times that is one, which count in 100 ns since 1601.
func fileTime(times ...uint64) string {
	const perSecond, to1970 = 10_000_000, 11_644_473_600
	for _, t := range times {
		if t/perSecond > to1970 && t>>63 == 0 {
			return time.Unix(int64(t/perSecond)-to1970, 0).UTC().Format(time.RFC1123Z)
		}
	}
	return ""
}

// body writes the text of a message: what is written as text, or else the page, or the rich
// text.
func (m *msg) body(ctx context.Context, folder string, page, pageHTML int) error {
	text := strings.TrimSpace(strings.ReplaceAll(m.text(folder, page, mapiBody), "\r\n", "\n"))
	html := m.bytes(folder, mapiHTML, mapiBytes)
	if wide := m.bytes(folder, mapiHTML, mapiWide); len(html) == 0 && len(wide) > 0 {
		html = []byte(utf16Text(wide))
	}
	if text == "" && len(html) > 0 {
		if invalidOffset(html) >= 0 {
			html = []byte(decodePage(html, pageHTML))
		}
		d, err := readHTML(ctx, html)
		if err != nil {
			return err
		}
		text = d.Text
	}
	if packed := m.bytes(folder, mapiRTF, mapiBytes); text == "" && len(packed) > 0 {
		rich, err := unpackRTF(packed)
		if err != nil {
			return err
		}
		d, err := readRTF(ctx, rich)
		if err != nil {
			return err
		}
		text = d.Text
	}
	m.mail.text.WriteString(storable(text) + "\n\n")
	return nil
}

// attachments reads what is attached to a message.
func (m *msg) attachments(ctx context.Context, folder string, page, level int) error {
	for _, at := range m.attached[folder] {
		if m.parts++; m.parts > maxParts {
			return malformed("The message has more than %d attachments.", maxParts)
		}
		name := oneLine(m.text(at, page, mapiFile, mapiShortFile, mapiShown))
		inner := fmt.Sprintf("%s__substg1.0_%04X%04X/", at, mapiContent, mapiObject)
		if m.container.streams[inner+mapiProperties] != nil && level < maxAttached {
			m.mail.text.WriteString("## Attachment: " + name + "\n\n")
			if err := m.read(ctx, inner, level+1); err != nil {
				return err
			}
			continue
		}
		content := m.bytes(at, mapiContent, mapiBytes)
		if content == nil {
			m.mail.warnings = append(m.mail.warnings, "Attachment "+strconv.Quote(name)+" is not read: it is no file")
			continue
		}
		if err := m.mail.attachment(ctx, content, name, m.text(at, page, mapiMIME)); err != nil {
			return err
		}
		m.mail.text.WriteString(m.mail.attached.String())
		m.mail.attached.Reset()
		if m.mail.text.Len() > maxTextBytes {
			return tooLong()
		}
	}
	return nil
}

// foldersOf returns the folders of attachments, by the folders that they are in.
func foldersOf(container *ole) map[string][]string {
	folders := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(container.streams)) {
		folder, found := strings.CutSuffix(name, mapiProperties)
		if parent, last := path.Split(strings.TrimSuffix(folder, "/")); found && strings.HasPrefix(last, "__attach_version1.0_#") {
			folders[parent] = append(folders[parent], folder)
		}
	}
	return folders
}
