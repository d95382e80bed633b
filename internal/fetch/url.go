package fetch

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode"

	"github.com/kappagraph/kappa"
)

const maxURLLength = 2048

// parse returns the URL in the form in which it is fetched, or the rule that it
// breaks. It resolves no name.
func parse(raw string) (*url.URL, string) {
	if len(raw) > maxURLLength {
		return nil, "must have at most 2048 characters"
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r == '\\' || r > unicode.MaxASCII || r == 0x7f }) {
		return nil, "must be ASCII without spaces, control characters and backslashes; write other characters percent-encoded, and names in Punycode"
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, "must be a URL such as https://example.com/data.parquet"
	}
	u.Fragment, u.RawFragment = "", ""
	return u, checkParsed(u)
}

// checkParsed returns the rule that a parsed URL breaks, or "". Redirects are held
// against it too.
func checkParsed(u *url.URL) string {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return "must begin with http:// or https://"
	case u.Opaque != "" || u.Hostname() == "":
		return "must name a server"
	case u.User != nil:
		return "must not contain a user name or password"
	}
	return checkHost(u.Hostname())
}

// checkHost returns the rule that a host breaks, or "". A host that ends in a number
// is an address, and only its usual spelling is accepted: what reads 0x7f.1 or
// 017700000001 hides where it leads.
func checkHost(host string) string {
	if strings.Contains(host, "%") {
		return "must not name a network interface"
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return ""
	}
	if strings.Contains(host, ":") {
		return "must name a server"
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	last := labels[len(labels)-1]
	if last == "" || isNumber(last) {
		return "must give an address in its usual form, such as 192.0.2.1"
	}
	for _, l := range labels {
		if l == "" || len(l) > 63 || strings.ContainsFunc(l, notInName) {
			return "must name a server"
		}
	}
	return ""
}

func notInName(r rune) bool {
	return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// isNumber reports labels that resolvers read as a number: decimal, octal and
// hexadecimal ones.
func isNumber(label string) bool {
	if rest, ok := strings.CutPrefix(strings.ToLower(label), "0x"); ok {
		return !strings.ContainsFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') })
	}
	return !strings.ContainsFunc(label, func(r rune) bool { return r < '0' || r > '9' })
}

// invalid is the answer to a URL that breaks a rule.
func invalid(rule string) error {
	return kappa.Invalid(kappa.FieldError{In: "body", Name: "url", Rule: rule})
}
