package show

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
)

// TestLogFormats writes a line in each format.
func TestLogFormats(t *testing.T) {
	t.Parallel()
	written := map[string]string{}
	for _, format := range LogFormats() {
		var out bytes.Buffer
		log := slog.New(LogHandler(&out, format, slog.LevelWarn))
		log.Info("not so loud")
		log.Warn("a lane stands", "lane", "interactive")
		written[format] = out.String()
	}
	var line struct{ Level, Msg, Lane string }
	if err := json.Unmarshal([]byte(written[LogJSON]), &line); err != nil || line.Level != "WARN" || line.Msg != "a lane stands" || line.Lane != "interactive" {
		t.Errorf("json: %v, %+v, of %q", err, line, written[LogJSON])
	}
	if text := written[LogText]; !strings.HasSuffix(text, `level=WARN msg="a lane stands" lane=interactive`+"\n") {
		t.Errorf("text: %q", text)
	}
}
