package show

import (
	"io"
	"log/slog"
)

// How the lines of a log are written.
const (
	LogText = "text" // key=value
	LogJSON = "json" // an object
)

// LogFormats returns the formats of a log, the default first.
func LogFormats() []string { return []string{LogText, LogJSON} }

// LogHandler returns what writes a log from a level on to w, in one of LogFormats.
func LogHandler(w io.Writer, format string, from slog.Level) slog.Handler {
	options := &slog.HandlerOptions{Level: from}
	if format == LogJSON {
		return slog.NewJSONHandler(w, options)
	}
	return slog.NewTextHandler(w, options)
}
