{{- define "kappa.name" -}}
{{- if contains "kappa" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-kappa" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "kappa.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* Which objects are ours: (dict "root" $ "part" "server"). */}}
{{- define "kappa.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "kappa.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "kappa.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "kappa.scheme" -}}
{{ if .Values.tls.existingSecret }}HTTPS{{ else }}HTTP{{ end }}
{{- end }}

{{/* A key of a Secret that is there already, or a new value: an upgrade changes none. */}}
{{- define "kappa.kept" -}}
{{- $there := lookup "v1" "Secret" .root.Release.Namespace .name -}}
{{- if and $there (hasKey ($there.data | default dict) .key) -}}
{{ index $there.data .key }}
{{- else -}}
{{ .new | b64enc }}
{{- end -}}
{{- end }}

{{/* What values must be together. */}}
{{- define "kappa.check" -}}
{{- if and (eq .Values.database.mode "embedded") (gt (int .Values.servers.replicas) 1) }}
{{- fail "servers.replicas: more than one server needs a database that they share: set database.mode to external or cloudnative" }}
{{- end }}
{{- if and (eq .Values.database.mode "external") (not .Values.database.external.existingSecret) }}
{{- fail "database.external.existingSecret: name the Secret that has the address of the database" }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) }}
{{- fail "ingress.host: name the host by which the servers are called" }}
{{- end }}
{{- if and .Values.serviceMonitor.enabled (not .Values.serviceMonitor.existingSecret) }}
{{- fail "serviceMonitor.existingSecret: name the Secret with client_id and client_secret; metrics take a token" }}
{{- end }}
{{- if and .Values.nats.enabled .Values.nats.existingSecret }}
{{- fail "nats.enabled, nats.existingSecret: set one of them" }}
{{- end }}
{{- end }}
