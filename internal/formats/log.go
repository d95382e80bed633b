package formats

import (
	"bufio"
	"bytes"
	"regexp"
)

// logLine is how a line of a log begins: with a date and a time, with a level, or with
// the address of a client.
var logLine = regexp.MustCompile(`^\s*(?:` +
	`[\[<("{]?(?:time=|ts=|"?time(?:stamp)?":\s*)?"?\d{4}[-/]\d\d[-/]\d\d[T _]\d\d:\d\d` + // 2026-01-31 12:00
	`|\[?[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d` + // Jan 31 12:00:00
	`|\d\d:\d\d:\d\d[.,]\d{3}` + // 12:00:00.123
	`|[IWEF]\d{4} \d\d:\d\d:\d\d` + // I0131 12:00:00
	`|\S+ \S+ \S+ \[\d\d/[A-Z][a-z]{2}/\d{4}:` + // 192.0.2.1 - - [31/Jan/2026:
	`|\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\]?[ :]` +
	`)`)

// isLog reports whether most lines of a text begin as those of a log do.
func isLog(text []byte) bool {
	const least, most = 5, 500 // lines that are looked at
	const head = 256 << 10
	lines := bufio.NewScanner(bytes.NewReader(text[:min(len(text), head)]))
	lines.Buffer(nil, head)
	n, logged := 0, 0
	for n < most && lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		n++
		if logLine.Match(lines.Bytes()[:min(len(lines.Bytes()), 200)]) {
			logged++
		}
	}
	return n >= least && 10*logged >= 7*n
}
