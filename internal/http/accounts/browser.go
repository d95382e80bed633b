package accounts

import "strings"

// Browsers and systems by what stands in their User-Agent. Most name others besides, so that
// the first that is there counts.
var (
	browsers = [][2]string{{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"}}
	systems  = [][2]string{{"Android", "Android"}, {"iPhone", "iOS"}, {"iPad", "iOS"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}}
)

// browserOf says in a few words of our own what a User-Agent is, "" for one that is unknown.
func browserOf(userAgent string) string {
	browser, system := named(browsers, userAgent), named(systems, userAgent)
	if browser == "" || system == "" {
		return browser + system
	}
	return browser + " on " + system
}

func named(names [][2]string, text string) string {
	for _, n := range names {
		if strings.Contains(text, n[0]) {
			return n[1]
		}
	}
	return ""
}
