package kappa

// SettingDiff is one setting before and after.
type SettingDiff struct {
	Old any `json:"old"`
	New any `json:"new"`
}
