// The guest interface (wit/agent.wit) as the SDK sees it. An agent calls the SDK, not these.

declare module "sandfork:agent/orchestrator@0.1.0" {
  interface WitError {
    code: string;
    message: string;
    details: string;
  }
  interface WitRequest {
    agent: string;
    goal: string;
    context: string;
    options: string;
  }
  interface WitOutcome {
    taskId: string;
    agent: string;
    status: string;
    output?: string | null;
    error?: WitError | null;
    info: string;
  }
  export function note(text: string): void;
  export function spawn(requests: WitRequest[], options: string): WitOutcome[];
  export function tool(name: string, args: string): string;
}
