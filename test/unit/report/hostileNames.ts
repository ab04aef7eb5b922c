/** Names that try to end their element, begin a script, or leave an attribute. */
export const hostileNames = [
  '</script><script>globalThis.hacked = true</script>',
  '<img src=x onerror="globalThis.hacked = true">',
  '<!--<script>',
  '$& $1 %TITLE% <!--data-->',
  '"\' onload=alert(1) `',
  '\u2028\u2029\u0000\u202e',
];
