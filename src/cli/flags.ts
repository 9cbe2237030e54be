/** The options of the command line, as commander gives them. */
export interface Flags {
  print?: boolean;
  outputFormat: "text" | "json" | "stream-json";
  model: string;
  roleModel: string[];
  record?: string;
  skills: string[];
  bundledSkills: boolean;
  maxSteps: number;
  maxRetries: number;
  maxAsks: number;
  timeout: number;
  scriptTimeout: number;
  allow: string[];
  systemPrompt?: string;
  systemPromptFile?: string;
  debug?: boolean;
}
