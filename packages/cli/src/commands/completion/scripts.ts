/** The scripts with which shells call `portcullis __complete`. */
export const completionScripts = {
  bash: `# bash completion for portcullis:  source <(portcullis completion bash)
_portcullis() {
  local line directive=4
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :*) directive="\${line#:}" ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ $directive == 0 && \${#COMPREPLY[@]} -eq 0 ]]; then
    compopt -o default 2>/dev/null
  fi
}
complete -F _portcullis portcullis kubectl-portcullis
`,
  zsh: `#compdef portcullis kubectl-portcullis
# zsh completion for portcullis:  source <(portcullis completion zsh)
_portcullis() {
  local line value directive=4
  local -a found
  while IFS= read -r line; do
    case "$line" in
      :*) directive="\${line#:}" ;;
      *)
        value="\${line%%$'\\t'*}"
        found+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
        ;;
    esac
  done < <("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then
    _describe portcullis found
  elif [[ $directive == 0 ]]; then
    _files
  fi
}
if [[ "\${funcstack[1]}" == _portcullis ]]; then
  _portcullis "$@"
elif (( \${+functions[compdef]} )); then
  compdef _portcullis portcullis kubectl-portcullis
fi
`,
  fish: `# fish completion for portcullis:  portcullis completion fish | source
function __portcullis_complete
  set -l words (commandline -opc)
  set -l last (commandline -ct)
  set -l program $words[1]
  set -e words[1]
  $program __complete $words "$last" 2>/dev/null | string match --invert --regex '^:'
end
for program in portcullis kubectl-portcullis
  complete --command $program --no-files --arguments '(__portcullis_complete)'
  complete --command $program --long-option kubeconfig --require-parameter --force-files
  complete --command $program --long-option config --require-parameter --force-files
  complete --command $program --short-option f --long-option filename --require-parameter --force-files
end
`,
} as const
