import type { components } from './schema.gen'

type Schemas = components['schemas']

export type Alert = Schemas['Alert']
export type AlertState = Schemas['AlertState']
export type ApiToken = Schemas['ApiToken']
export type ApiTokenCreate = Schemas['ApiTokenCreate']
export type ApiTokenCreated = Schemas['ApiTokenCreated']
export type AuditEntry = Schemas['AuditEntry']
export type BadBlocks = Schemas['BadBlocks']
export type Battery = Schemas['Battery']
export type BatteryFault = Schemas['BatteryFault']
export type BatteryState = Schemas['BatteryState']
export type BatteryUpdate = Schemas['BatteryUpdate']
export type Cache = Schemas['Cache']
export type CacheState = Schemas['CacheState']
export type Choice = Schemas['Choice']
export type ChoicePrediction = Schemas['ChoicePrediction']
export type ChoiceRequest = Schemas['ChoiceRequest']
export type Command = Schemas['Command']
export type CommandState = Schemas['CommandState']
export type Controller = Schemas['Controller']
export type ControllerStatus = Schemas['ControllerStatus']
export type ControllerUpdate = Schemas['ControllerUpdate']
export type Drive = Schemas['Drive']
export type DriveGroup = Schemas['DriveGroup']
export type DriveState = Schemas['DriveState']
export type Enclosure = Schemas['Enclosure']
export type EnrolmentToken = Schemas['EnrolmentToken']
export type EnrolmentTokenCreated = Schemas['EnrolmentTokenCreated']
export type Event = Schemas['Event']
export type Export = Schemas['Export']
export type FaultKind = Schemas['FaultKind']
export type Fleet = Schemas['Fleet']
export type ForeignConfiguration = Schemas['ForeignConfiguration']
export type ForeignConfigurations = Schemas['ForeignConfigurations']
export type ForeignOutcome = Schemas['ForeignOutcome']
export type Host = Schemas['Host']
export type InjectFault = Schemas['InjectFault']
export type LabCatalogue = Schemas['LabCatalogue']
export type Latency = Schemas['Latency']
export type LatencySummary = Schemas['LatencySummary']
export type LearnMode = Schemas['LearnMode']
export type LevelRule = Schemas['LevelRule']
export type Member = Schemas['Member']
export type MetricHistory = Schemas['MetricHistory']
export type MetricSeries = Schemas['MetricSeries']
export type ObjectKind = Schemas['ObjectKind']
export type Operation = Schemas['Operation']
export type OperationState = Schemas['OperationState']
export type PredictedArray = Schemas['PredictedArray']
export type Prediction = Schemas['Prediction']
export type PreservedCache = Schemas['PreservedCache']
export type PreviewResult = Schemas['PreviewResult']
export type RaidLevel = Schemas['RaidLevel']
export type Reason = Schemas['Reason']
export type Role = Schemas['Role']
export type SavedScenario = Schemas['SavedScenario']
export type SavedScenarioCreate = Schemas['SavedScenarioCreate']
export type Scenario = Schemas['Scenario']
export type Session = Schemas['Session']
export type Severity = Schemas['EventClass']
export type Simulation = Schemas['Simulation']
export type Stripe = Schemas['Stripe']
export type StripeCreate = Schemas['StripeCreate']
export type Survival = Schemas['Survival']
export type TaskAction = Schemas['TaskAction']
export type User = Schemas['User']
export type UserCreate = Schemas['UserCreate']
export type UserUpdate = Schemas['UserUpdate']
export type VirtualDrive = Schemas['VirtualDrive']
export type VirtualDriveCreate = Schemas['VirtualDriveCreate']
export type VirtualDrivePreview = Schemas['VirtualDrivePreview']
export type VirtualDriveState = Schemas['VirtualDriveState']
export type VirtualDriveUpdate = Schemas['VirtualDriveUpdate']

/** What every object reported by a host has. */
export interface Reported {
  id: string
  host_id: string
  host_name: string
  rev: number
  config_rev: number
  online: boolean
  stale_since: string | null
}

export interface PageOf<Item> {
  items: Item[]
  next_cursor: string | null
  total: number | null
}
export type WorkloadModel = Schemas['WorkloadModel']
export type WritePolicy = Schemas['WritePolicy']
