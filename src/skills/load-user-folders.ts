import path from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where what the user decided is kept: BROHARNESS_HOME, else the XDG base directories; null where there is no home. */
export function configFolder(environment: Environment): string | null {
  const { BROHARNESS_HOME: own = "", XDG_CONFIG_HOME: config = "", HOME: home = "" } = environment;
  if (own !== "") return path.resolve(own);
  if (path.isAbsolute(config)) return path.join(config, "broharness");
  return path.isAbsolute(home) ? path.join(home, ".config/broharness") : null;
}

/** Where what can be made again is kept: BROHARNESS_HOME, else the XDG base directories; null where there is no home. */
export function cacheFolder(environment: Environment): string | null {
  const { BROHARNESS_HOME: own = "", XDG_CACHE_HOME: cache = "", HOME: home = "" } = environment;
  if (own !== "") return path.resolve(own, "cache");
  // The specification of these variables: a relative path is to be ignored.
  if (path.isAbsolute(cache)) return path.join(cache, "broharness");
  return path.isAbsolute(home) ? path.join(home, ".cache/broharness") : null;
}
