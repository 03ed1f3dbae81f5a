// Arithmetic of sixteen floats, included by EightsBody.h for each kind of processor.

INLINE lanes spread(float value) { return value - (lanes){0}; }
INLINE lanes chosen(whole mask, lanes yes, lanes no) { return (lanes)((mask & (whole)yes) | (~mask & (whole)no)); }
INLINE lanes greater(lanes a, lanes b) { return chosen(a > b, a, b); }
INLINE lanes lesser(lanes a, lanes b) { return chosen(a < b, a, b); }

/// The nearest whole number of what is smaller than two million.
INLINE whole rounded(lanes value) { return (whole)(value + 12582912.0f) - 0x4B400000; }

INLINE float greatest(lanes of) {
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; i++) of[i] = of[i] > of[i + half] ? of[i] : of[i + half];
  return of[0];
}

INLINE float total(lanes of) {
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; i++) of[i] += of[i + half];
  return of[0];
}

/// Two to the power of what is not above zero.
INLINE lanes exponential(lanes x) {
  x = greater(x, spread(-126));
  const whole power = rounded(x);
  const lanes rest = x - __builtin_convertvector(power, lanes);
  lanes sum = rest * 0.001333355815f + 0.009618129108f;
  sum = sum * rest + 0.05550410866f;
  sum = sum * rest + 0.2402265070f;
  sum = sum * rest + 0.6931471806f;
  sum = sum * rest + 1;
  return sum * (lanes)((power + 127) << 23);
}

/// x times the normal distribution up to x, by the error function of Abramowitz and Stegun, 7.1.26.
INLINE lanes gelu(lanes x) {
  const lanes size = greater(x, -x), t = 1 / (size * (0.3275911f * 0.70710678f) + 1);
  lanes sum = t * 1.061405429f - 1.453152027f;
  sum = sum * t + 1.421413741f;
  sum = sum * t - 0.284496736f;
  sum = sum * t + 0.254829592f;
  // The tail beyond |x|: for x above zero it is what is missing from x.
  return greater(x, spread(0)) - size * (sum * t * (exponential(x * x * (-0.5f * 1.44269504f)) * 0.5f));
}
