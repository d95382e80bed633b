package formats

import (
	"bytes"
	"strings"
)

// mendedHeader returns an e-mail whose header has only fields, and what was changed. A line that is
// no field is a part of the one before it when fields follow: a long one was broken without a
// space. When none follow, the text begins there: the blank line before it is missing. A field whose
// name is no name is left out.
func mendedHeader(body []byte) (mended []byte, warnings []string) {
	lines := headerLines(body)
	last := -1 // the last line that is a field
	for i, line := range lines {
		if isField(line) {
			last = i
		}
	}
	var header bytes.Buffer
	length := 0
	follows := false // what is continued is kept
	for i, line := range lines {
		folded := line[0] == ' ' || line[0] == '\t'
		switch name, _, found := bytes.Cut(line, []byte(":")); {
		case isField(line):
			follows = true
			header.Write(line)
		case folded && follows:
			header.Write(line)
		case folded && i > 0: // of a field that is left out
		case i > last:
			warnings = append(warnings, "The header of the e-mail does not end: its text begins at the first line that is no field")
			return append(append(header.Bytes(), "\r\n"...), body[length:]...), warnings
		case found && !bytes.ContainsAny(bytes.TrimSpace(name), " \t"), !follows:
			follows = false
			warnings = append(warnings, "A line of the header of the e-mail is no field, and is not read: "+shortened(line))
		default:
			header.WriteByte(' ')
			header.Write(line)
			warnings = append(warnings, "A line of the header of the e-mail is no field, and is read as a part of the one before it: "+shortened(line))
		}
		length += len(line)
	}
	return append(header.Bytes(), body[length:]...), warnings
}

// headerLines returns the lines before the first blank one.
func headerLines(body []byte) (lines [][]byte) {
	for line := range bytes.Lines(body) {
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			break
		}
		lines = append(lines, line)
	}
	return lines
}

// isField reports whether a line of a header begins a field: its name has no space and no
// character beyond those of ASCII.
func isField(line []byte) bool {
	name, _, found := bytes.Cut(line, []byte(":"))
	name = bytes.TrimRight(name, " \t")
	return found && len(name) > 0 && !bytes.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' })
}

// shortened returns the beginning of a line, for a warning.
func shortened(line []byte) string {
	const most = 80
	text := oneLine(strings.ToValidUTF8(string(line), "\uFFFD"))
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
