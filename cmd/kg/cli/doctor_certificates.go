package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/internal/certificates"
	"github.com/kappagraph/kappa/work"
)

// certificateFindings says how long the certificates of a server are valid.
func certificateFindings(list []work.Certificate, now time.Time) []finding {
	var findings []finding
	for _, c := range list {
		findings = append(findings, certificateFinding(c, now))
	}
	return findings
}

func certificateFinding(c work.Certificate, now time.Time) finding {
	f := finding{Check: "certificate", Level: levelOK}
	names := show.OneLine(strings.Join(c.Names, ", "))
	left := time.Duration(0)
	if c.Until != nil {
		left = c.Until.Sub(now)
	}
	switch {
	case c.Until == nil:
		f.Level, f.Found = levelFail, "none yet for "+names
	case left <= 0:
		f.Level, f.Found = levelFail, fmt.Sprintf("that for %s ended on %s", names, c.Until.Format(time.DateOnly))
	default:
		f.Found = fmt.Sprintf("for %s, until %s, %s from now", names, c.Until.Format(time.DateOnly), show.Counted(int(left.Hours()/24), "day"))
		if left < certificates.SoonExpired {
			f.Level = levelWarn
		}
	}
	if c.Failed != "" {
		if f.Level == levelOK {
			f.Level = levelWarn
		}
		f.Found += "; a newer one could not be had: " + show.OneLine(c.Failed)
	}
	switch {
	case f.Level == levelOK:
	case c.From == "acme":
		f.Remedy = "the authority must reach the server at port 443 of each name; the log of the server says what it answered"
	default:
		f.Remedy = "put a newer certificate and its key into the files KG_TLS_CERT and KG_TLS_KEY; the server reads them by itself"
	}
	return f
}
