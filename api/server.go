package api

// The levels of a Finding.
const (
	LevelOK   = "ok"
	LevelWarn = "warn"
	LevelFail = "fail"
)

// Finding is what one check of a server says.
type Finding struct {
	Check  string `json:"check"`
	Level  string `json:"level" enum:"ok,warn,fail"`
	Found  string `json:"found"`
	Remedy string `json:"remedy,omitempty" doc:"What to do"`
}

// Findings are what the checks of a server say.
type Findings struct {
	Findings []Finding `json:"findings"`
}

// ServerSetting is a setting of the server that answers. What may be a secret is in none of
// its members.
type ServerSetting struct {
	Name    string  `json:"name"`
	Value   *string `json:"value" doc:"As it was set; null for a secret, and where the default is in force"`
	Secret  bool    `json:"secret" doc:"It may hold a secret, and is shown to nobody"`
	Source  string  `json:"source" enum:"default,flag,environment,file" doc:"Where it comes from; file is the settings file"`
	Default string  `json:"default"`
	Rule    string  `json:"rule" doc:"What a value must be; empty for any text"`
	Help    string  `json:"help"`
}

// ServerSettings are the settings of the server that answers.
type ServerSettings struct {
	Settings []ServerSetting `json:"settings"`
}
